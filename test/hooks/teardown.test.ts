/**
 * The ways in which trees with work in them are deleted in public, each as a command of an agent whose hooks are set up: what its hook payload
 * says is held before it runs, and not a byte is lost (W4, W8).
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Teardown, tornDown } from "../support/torn-down.ts";
import { callHook, holdingHome, SILENT } from "./recorder.ts";

/** No test asserts a time. */
const PATIENT = { REFLOAT_HOOK_WAIT: "120", HOME: "/nonexistent", GIT_CONFIG_GLOBAL: "/dev/null" };

/** What git still finds by its logs is let go of, too. */
const FORGET = "git reflog expire --expire=now --all && git gc -q --prune=now";

interface Sequence {
  readonly what: string;
  readonly kind: "clone" | "worktree";
  /** It leaves the repository, and everything that is in it. */
  readonly keepsCommits?: true;
  /** Another agent was asked for the work that lies there, and is at it. */
  readonly workOf?: "claude";
  /** What the agent's shell is given, and where it stands; each is a call of its own. */
  readonly commands: (scene: Teardown) => readonly { readonly command: string; readonly cwd: string }[];
}

const inTree =
  (...commands: readonly string[]): Sequence["commands"] =>
  ({ tree }) =>
    commands.map((command) => ({ command, cwd: tree }));
const inClone =
  (say: (scene: Teardown) => readonly string[]): Sequence["commands"] =>
  (scene) =>
    say(scene).map((command) => ({ command, cwd: scene.repo.root }));

const SEQUENCES: readonly Sequence[] = [
  {
    what: "git worktree remove --force",
    kind: "worktree",
    commands: inClone(({ tree }) => [`git worktree remove --force ${tree}`]),
  },
  {
    what: "git branch -D after it",
    kind: "worktree",
    commands: inClone(({ tree }) => [
      `git worktree remove --force ${tree} && git branch -q -D topic && ${FORGET}`,
    ]),
  },
  {
    what: "docker compose down, by which the container's files go",
    kind: "clone",
    commands: ({ tree }) => [{ command: "docker compose down -v", cwd: tree }],
  },
  {
    what: "git clean -fdx",
    kind: "clone",
    keepsCommits: true,
    commands: inTree("git clean -fdxq && git checkout -q -f HEAD"),
  },
  {
    what: "it is archived: moved, and the archive deleted",
    kind: "clone",
    commands: ({ tree, place }) => [
      { command: `mv ${tree} ${tree}.archived && rm -rf ${tree}.archived`, cwd: place.workspace },
    ],
  },
  {
    what: "another agent's git stash, and the stash is dropped",
    kind: "clone",
    workOf: "claude",
    commands: inTree(`git stash -q --all && git stash drop -q && ${FORGET}`),
  },
  {
    what: "git reset --hard to the remote",
    kind: "clone",
    commands: inTree(`git reset -q --hard origin/main && git clean -fdxq && ${FORGET}`),
  },
  {
    what: "git rebase drops the commit",
    kind: "clone",
    commands: inTree(
      `bash -lc 'git reset -q --hard; git clean -fdxq; git -c sequence.editor="sed -i s/^pick/drop/" rebase -q -i origin/main' && ${FORGET}`,
    ),
  },
];

/** A script in docker's place: what was only in the container is gone. */
function scriptedDocker(): string {
  const bin = join(temporaryFolder(), "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "docker"), '#!/bin/sh\ncd / && rm -rf "$OLDPWD"\n', { mode: 0o755 });
  return bin;
}

describe("a tree is torn down by an agent's own command, behind its hooks", () => {
  it.each(SEQUENCES)("W8: 0 bytes lost by $what", async ({ kind, commands, keepsCommits, workOf }) => {
    const scene = tornDown(kind);
    holdingHome(scene.place.home);
    const agent = workOf === undefined ? "claude" : "codex";
    if (workOf !== undefined) {
      const input = JSON.stringify({ session_id: "1111-1", cwd: scene.tree, prompt: "go", prompt_id: "p" });
      const asked = { agent: workOf, event: "UserPromptSubmit", cwd: scene.tree, input };
      expect(callHook(scene.place.home, asked)).toEqual(SILENT);
    }
    const bin = scriptedDocker();
    for (const [at, { command, cwd }] of commands(scene).entries()) {
      const payload = {
        ...{ session_id: "0d7f-1", transcript_path: "", cwd, hook_event_name: "PreToolUse" },
        ...{ tool_name: "Bash", tool_use_id: `t${at}`, tool_input: { command } },
      };
      const call = { agent, cwd, env: PATIENT, input: JSON.stringify(payload) };
      expect(callHook(scene.place.home, call)).toEqual(SILENT);
      const env = {
        ...{ PATH: `${bin}:${process.env.PATH}`, HOME: "/nonexistent", GIT_CONFIG_GLOBAL: "/dev/null" },
        ...{ GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.invalid" },
        ...{ GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.invalid" },
      };
      const ran = spawnSync("bash", ["-c", command], { cwd, env, encoding: "utf8" });
      expect([ran.status, ran.stderr.replaceAll(/^hint:.*\n/gm, "")]).toEqual([0, expect.any(String)]);
    }
    const { held, by, agents } = await firstOf(scene);
    expect([by, agents]).toEqual([agent, workOf === undefined ? [agent] : [workOf, agent]]);
    const back = [`refloat restore ${held} --to DIR`, `refloat restore ${held} --commits DIR`];
    const said: JsonObject = { trees: [{ capture: held }], back };
    await scene.expectNothingLost(said, keepsCommits ? { commitsIn: scene.tree } : {});
  });
});

/** What the first call names, the agent whose call it was, and every agent that there is a session of in this store. */
async function firstOf({ place, tree }: Teardown): Promise<{ held: string; by: string; agents: string[] }> {
  const { json } = await place.json(["sessions", "--all"], { cwd: place.workspace });
  const captures: (readonly [capture: string, by: string])[] = [];
  for (const { id, agent } of json.sessions as JsonObject[]) {
    const records = await place.withStore(({ raw }) =>
      raw.records({ session: id as never, kinds: ["capture.taken"] }),
    );
    for (const { body } of records as readonly JsonObject[])
      if (body.workspace.path === tree && body.held_outside) captures.push([String(body.capture), agent]);
  }
  const [[held, by] = ["", ""]] = captures;
  const agents = (json.sessions as JsonObject[]).map(({ agent }) => String(agent));
  return { held, by, agents: [...new Set(agents)].toSorted() };
}
