/** `op` and `decide` from inside a sandbox whose store cannot be written: taken in by the result of their call, and by nothing else (T2, T3). */
import { spawnSync } from "node:child_process";
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

  it("K5: step, which others rely on, is refused, and what the sandbox must be let write is named; nothing is left in the tree", () => {
    const place = hookedPlace();
    const ran = inSandbox(place, ["step", "start", "1"], { mayWrite: false });
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining("E_STORE_READ_ONLY")]);
    expect(ran.stderr).toContain("let it write the store's folder");
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
