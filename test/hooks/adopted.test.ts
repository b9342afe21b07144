/** `init` and all that follows, by the built program and nothing else: an agent's hooks, its death, what is shown, what the next one is told. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { BIN, type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { claudeEvents } from "./hooked-place.ts";

/** Calls the hooks of its settings as Claude Code does, prints what they printed, and lives until it is killed. */
const AGENT = `
  const { spawnSync } = require("node:child_process");
  const { readFileSync } = require("node:fs");
  const [settings, ...calls] = process.argv.slice(1);
  const { hooks } = JSON.parse(readFileSync(settings, "utf8"));
  for (const call of calls) {
    const [event, input] = JSON.parse(call);
    for (const group of hooks[event]) for (const { command } of group.hooks) {
      const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { input, encoding: "utf8" });
      process.stdout.write(JSON.stringify({ event, status, stdout, stderr }) + "\\n");
    }
  }
  process.stdout.write("at work\\n");
  setInterval(() => {}, 1000);
`;

type Call = readonly [event: string, payload: JsonObject];

function user() {
  const place = makePlace();
  const home = temporaryFolder();
  mkdirSync(join(home, ".claude"));
  const repo = testRepository(place.workspace);
  repo.write("keep.txt", "committed\n");
  repo.commit();
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const own = { ...env, REFLOAT_HOME: place.home };
  return {
    place,
    home,
    repo,
    refloat: (args: readonly string[]) => place.refloat(args, { env: own }),
    json: async (args: readonly string[]) => (await place.json(args, { env: own })).json,
    // As its user starts it: nothing of refloat in its environment.
    agent: async (calls: readonly Call[]) => {
      const words = calls.map(([event, payload]) => JSON.stringify([event, JSON.stringify(payload)]));
      const child = spawn(process.execPath, ["-e", AGENT, join(home, ".claude/settings.json"), ...words], {
        ...{ cwd: repo.root, env },
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      return { said: await saidBy(child), kill: () => killed(child) };
    },
  };
}

async function saidBy(child: ChildProcess): Promise<readonly JsonObject[]> {
  let text = "";
  for await (const piece of child.stdout ?? []) {
    text += String(piece);
    if (text.endsWith("at work\n")) break;
  }
  return text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as JsonObject] : []));
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

const [OLD, NEW, THIRD] = ["1", "2", "3"].map((n) => `${n.repeat(8)}-2222-4333-8444-555555555555`) as [
  string,
  string,
  string,
];

it("init alone is enough: a killed agent's session is shown with the call it was in, and the next one is told once (S1, K2, DESIGN 9)", async () => {
  const { place, repo, refloat, json, agent } = user();
  expect((await refloat(["init", "--yes"])).code).toBe(0);
  expect(statSync(join(place.home, "inbox")).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(place.home, "bin/refloat-program"), "utf8")).toBe(`${process.execPath}\n${BIN}\n`);

  const old = claudeEvents(OLD, repo.root);
  const first = await agent([
    ["SessionStart", old.start],
    ["UserPromptSubmit", old.prompt("make it work")],
    ["PreToolUse", old.before("t1", "make install")],
  ]);
  const quiet = { status: 0, stdout: "", stderr: "" };
  expect(first.said).toMatchObject([quiet, quiet, quiet]);
  expect(await json(["sessions"])).toMatchObject({ sessions: [{ supervised: false, state: "live" }] });
  await first.kill();

  const { stdout } = await refloat([]);
  expect(stdout).toContain("interrupted");
  const { stdout: shown } = await refloat(["show"]);
  expect(shown).toMatch(/last hook\s+PreToolUse/);
  expect(shown).toMatch(/may have happened\s+Bash\s+make install/);
  const calls: readonly JsonObject[] = (await json(["inspect"])).calls;
  expect(calls).toMatchObject([{ tool: "Bash" }]);
  expect(readdirSync(join(place.home, "inbox")).filter((name) => name.endsWith(".hook"))).toEqual([]);

  const second = await agent([["SessionStart", claudeEvents(NEW, repo.root).start]]);
  const told = JSON.parse(second.said[0]?.stdout ?? "");
  expect(told.hookSpecificOutput.additionalContext).toContain("session of claude");
  expect(told.systemMessage).toContain("was cut off");
  const third = await agent([["SessionStart", claudeEvents(THIRD, repo.root).start]]);
  expect(third.said).toMatchObject([quiet]);
});

it("what a destructive command would take is held by the program that init was run by, refloat being on no PATH (W4)", async () => {
  const { repo, refloat, json, agent } = user();
  expect((await refloat(["init", "--yes"])).code).toBe(0);
  repo.write("made.txt", "nobody has committed this\n");
  const events = claudeEvents(OLD, repo.root);
  const { kill } = await agent([
    ["UserPromptSubmit", events.prompt("tidy up")],
    ["PreToolUse", events.before("t1", "rm -rf made.txt")],
  ]);
  await kill();
  const calls: readonly JsonObject[] = (await json(["inspect"])).calls;
  // On a machine that is too busy it says so; it never says that there is no program.
  expect(calls.map(({ before }) => before)).toMatchObject([{ kind: expect.stringMatching(/^held$|^none$/) }]);
  expect(JSON.stringify(calls)).not.toContain("refloat is not here");
});

it("uninstall leaves nothing of the recorder behind, marks of open turns included; what was recorded stays (S6)", async () => {
  const { place, repo, refloat, agent } = user();
  await refloat(["init", "--yes"]);
  const { kill } = await agent([["UserPromptSubmit", claudeEvents(OLD, repo.root).prompt("go")]]);
  await kill();
  expect(existsSync(join(place.home, "open"))).toBe(true);
  await refloat(["status"]);
  expect((await refloat(["uninstall", "--yes"])).code).toBe(0);
  const left = readdirSync(place.home);
  expect(left).toContain("refloat.db");
  for (const name of ["bin", "inbox", "install", "open"]) expect(left).not.toContain(name);
});
