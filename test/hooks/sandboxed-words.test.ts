/** `op`, `decide` and `step` from inside a sandbox whose store cannot be written: taken in by the result of their call, and by nothing else (T2, T3). */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN } from "../support/cli.ts";
import { unshareArguments } from "../support/needs.ts";
import { claudeEvents, fakeAgent, type HookedPlace, hookedPlace } from "./hooked-place.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";

it("an operation and a decision that a sandbox could not record are the session's; fake markers in other output are nothing", async () => {
  const place = hookedPlace();
  const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
  place.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
  const said: readonly (readonly [string, string])[] = [
    ["refloat op begin migrate --path 'db/**'", "# BEGIN: migrate\n"],
    ["cat notes.txt", "# BEGIN: fake\n# END: migrate\n# DECIDED: db = evil\n"],
    ["refloat decide db sqlite --reason small", "# DECIDED: db = sqlite (small)\n"],
    ["refloat op begin second", "# BEGIN: second\n"],
    ["refloat op end second", "# END: second\n"],
  ];
  for (const [at, [command, output]] of said.entries()) {
    place.tell("claude", "PreToolUse", events.before(`t${at}`, command), agent);
    place.tell("claude", "PostToolUse", events.after(`t${at}`, command, output), agent);
  }
  const { json } = await place.json(["show"]);
  expect(json.operations.map(({ label, state }: Record<string, string>) => `${label} ${state}`)).toEqual([
    "migrate open",
    "second ended",
  ]);
  expect(json.decisions).toMatchObject([{ key: "db", value: "sqlite", reason: "small" }]);
  const journal = await place.journal(json.session.id);
  const began = journal.find(({ kind }) => kind === "operation.began");
  expect(began?.body).toMatchObject({ from: "hook", paths: ["db/**"] });
});

/** As agents' sandboxes have it: no network, processes of its own, and everything but the workspace read-only; or the store's folder, too, may be written. */
function inSandbox(place: HookedPlace, words: readonly string[], { mayWrite }: { mayWrite: boolean }) {
  const unshare = unshareArguments("--mount", "--pid", "--fork", "--mount-proc");
  const bound = mayWrite ? "" : 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && ';
  const script = `${bound}exec "$@"`;
  const refloat = [process.execPath, BIN, ...words];
  const { status, stdout, stderr } = spawnSync(
    "unshare",
    [...unshare, "--net", "--", "sh", "-c", script, place.home, ...refloat],
    {
      cwd: place.workspace,
      env: { PATH: process.env.PATH ?? "", HOME: place.home, REFLOAT_HOME: place.home },
      encoding: "utf8",
    },
  );
  return { code: status, stdout, stderr: stderr.replace(/\s+/g, " ") };
}

describe("inside a sandbox", () => {
  it("S1: op and decide leave a marker and say who takes it in; the hook of their call does, in a session that lives", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    place.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
    const commands = [
      ["op", "begin", "migrate"],
      ["op", "end", "migrate"],
      ["decide", "db", "sqlite"],
    ];
    for (const [at, words] of commands.entries()) {
      const ran = inSandbox(place, words, { mayWrite: false });
      expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/^# (BEGIN|END|DECIDED): /)]);
      expect(ran.stderr).toContain("Hooks of the agent take it in");
      const command = `refloat ${words.join(" ")}`;
      place.tell("claude", "PreToolUse", events.before(`t${at}`, command), agent);
      place.tell("claude", "PostToolUse", events.after(`t${at}`, command, ran.stdout), agent);
    }
    const { json } = await place.json(["show"]);
    expect(json.session).toMatchObject({ state: "live" });
    expect(json.operations).toMatchObject([{ label: "migrate", state: "ended" }]);
    expect(json.decisions).toMatchObject([{ key: "db", value: "sqlite" }]);
  });

  it("K5: step is refused where nothing would ever take it in: without hooks, or of a file that is not the workspace's; nothing is left in the tree", () => {
    const place = hookedPlace();
    rmSync(place.inbox, { recursive: true });
    const ran = inSandbox(place, ["step", "start", "1"], { mayWrite: false });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("E_STORE_READ_ONLY")]);
    expect(ran.stderr).toContain("let it write the store's folder");
    mkdirSync(place.inbox);
    for (const file of [
      join(place.home, "00-session-state.json"),
      ".git/00-session-state.json",
      "other.json",
    ])
      expect(inSandbox(place, ["step", "start", "1", "--file", file], { mayWrite: false })).toMatchObject({
        code: 1,
        stdout: "",
      });
    expect(place.repo.git("status", "--porcelain")).toBe("");
  });

  it("K2: among processes of its own, with a store that may be written, they are recorded in the session that lives outside", async () => {
    const place = hookedPlace();
    const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
    place.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
    expect(await place.sessions()).toMatchObject([{ state: "live" }]);
    for (const words of [
      ["op", "begin", "migrate"],
      ["decide", "db", "sqlite"],
      ["step", "start", "1"],
      ["step", "done", "1"],
    ])
      expect(inSandbox(place, words, { mayWrite: true }), words.join(" ")).toMatchObject({ code: 0 });
    const { json } = await place.json(["show"]);
    expect(json.session).toMatchObject({ state: "live" });
    expect(json.operations).toMatchObject([{ label: "migrate", state: "open" }]);
  });
});

const STATE_FILE = "00-session-state.json";

/** An agent that runs refloat in its sandbox, and its hooks outside of it. */
async function sandboxedAgent(atMs: number | null = null) {
  const place = hookedPlace();
  const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
  place.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
  let calls = 0;
  const tellCall = (command: string, output: string): void => {
    calls += 1;
    place.tell("claude", "PreToolUse", events.before(`t${calls}`, command), agent);
    place.tell("claude", "PostToolUse", events.after(`t${calls}`, command, output), { ...agent, atMs });
  };
  const file = join(place.workspace, STATE_FILE);
  return {
    place,
    agent,
    file,
    tellCall,
    step: (id: string) => JSON.parse(readFileSync(file, "utf8")).steps[id],
    /** In the sandbox, and told by the hooks. */
    says: (...words: readonly string[]) => {
      const ran = inSandbox(place, words, { mayWrite: false });
      expect(ran, words.join(" ")).toMatchObject({ code: 0, stdout: expect.stringContaining("# STATE: ") });
      tellCall(`refloat ${words.join(" ")}`, ran.stdout);
      return ran;
    },
  };
}

describe("a step from inside a sandbox", () => {
  it("W1, D4: waits for a command that may write, is shown until then and done once, under its claim", async () => {
    const { place, file, says, step } = await sandboxedAgent();
    const said = says("step", "start", "1", "--owner", "agent-7");
    expect(said.stdout).toBe(`# STATE: ${file}\n# STEP: start 1\n`);
    expect(said.stderr).toContain("said, and not claimed yet");
    says("step", "sub", "1", "phase_1_discovery", "--owner", "agent-7", "--artifact", "README.md");
    const status = await place.refloat([]);
    expect(status.stderr).toContain(`step start 1: said in a sandbox, not in ${file} yet.`);
    expect(status.stderr).toContain("refloat state take");
    const brief = (await place.json(["handoff"])).json;
    expect(brief.said).toEqual([
      { order: "step start 1", refused: null },
      { order: "step sub 1 phase_1_discovery", refused: null },
    ]);
    expect((await place.json(["state", "take", "--dry-run"])).json.waiting).toHaveLength(2);
    expect([existsSync(file), place.repo.git("status", "--porcelain")]).toEqual([false, ""]);

    const { json } = await place.json(["state", "take"]);
    expect([json.done.length, json.waiting, json.refused]).toEqual([2, [], []]);
    expect(step("1")).toMatchObject({
      status: "in_progress",
      sub_step: "phase_1_discovery",
      artifacts: ["README.md"],
      claim: { owner_id: "agent-7", retry_count: 0 },
    });
    expect((await place.json(["handoff"])).json.said).toBeUndefined();
    const bytes = readFileSync(file, "utf8");
    expect((await place.json(["state", "take"])).json).toMatchObject({ done: [], waiting: [], refused: [] });
    expect(readFileSync(file, "utf8")).toBe(bytes);
    // The claim is one: another is refused, its owner goes on with it outside.
    const other = await place.refloat(["step", "done", "1", "--owner", "bob"]);
    expect([other.code, other.stderr]).toEqual([4, expect.stringContaining("E_STEP_HELD")]);
    expect((await place.refloat(["step", "done", "1", "--owner", "agent-7"])).code).toBe(0);
  });

  it("T1: what the steps forbid is refused by the command that would write it, shown with the reason, and does not stop it", async () => {
    const { place, says, step } = await sandboxedAgent();
    expect((await place.refloat(["state", "init"])).code).toBe(0);
    says("step", "start", "1");
    says("step", "done", "2");
    says("decide", "region", "west");
    const took = await place.refloat(["step", "done", "1"]);
    expect([took.code, took.stderr]).toEqual([
      0,
      expect.stringContaining("step done 2: said in a sandbox, refused by"),
    ]);
    expect([step("1").status, step("2").status]).toEqual(["complete", "pending"]);
    expect((await place.json(["decide", "region"])).json).toMatchObject({ value: "west" });
    expect((await place.refloat([])).stderr).toContain("not at work");
    expect((await place.json(["handoff"])).json.said).toEqual([
      { order: "step done 2", refused: expect.stringContaining("not at work") },
    ]);
  });

  it("D4, K3: a command that is killed when its version is durable leaves it done once, the next one writes the file: with the time it was said, and no claim that is stale by then", async () => {
    const saidMs = Date.parse("2026-11-01T10:00:00Z");
    const { place, file, says, step } = await sandboxedAgent(saidMs);
    says("step", "start", "1");
    const killed = await place.refloat(["state", "take"], {
      env: { REFLOAT_CRASH_AT: "state.after-journal" },
    });
    expect([killed.signal, existsSync(file)]).toEqual(["SIGKILL", false]);
    expect((await place.json(["state", "take"])).json).toMatchObject({ done: [], waiting: [] });
    expect(step("1")).toMatchObject({ status: "in_progress", claim: { owner_id: null, retry_count: 0 } });
    expect(Date.parse(step("1").started)).toBe(saidMs);
    expect((await place.refloat(["step", "start", "1", "--owner", "bob"])).code).toBe(0);
  });

  it("W3, T3: nothing is taken in of a file outside of the workspace, behind a link, of git's own, or by another command's output", async () => {
    const { place, tellCall } = await sandboxedAgent();
    symlinkSync(place.home, join(place.workspace, "out"));
    const outside = join(place.home, STATE_FILE);
    const inGit = join(place.workspace, ".git", STATE_FILE);
    const inside = join(place.workspace, STATE_FILE);
    for (const file of [outside, join(place.workspace, "out", STATE_FILE), inGit, "00-session-state.json"])
      tellCall("refloat step start 1", `# STATE: ${file}\n# STEP: start 1\n`);
    tellCall("cat notes", `# STATE: ${inside}\n# STEP: start 1\n`);
    tellCall("refloat step start 1", `# STATE: ${inside}\n# STATE: ${outside}\n# STEP: start 1\n`);
    tellCall("refloat step start 1", `# STATE: ${inside}\n# STEP: start 2\n`);
    expect((await place.json(["state", "take"])).json).toMatchObject({ done: [], waiting: [], refused: [] });
    expect([outside, inGit, inside].filter((file) => existsSync(file))).toEqual([]);
  });
});
