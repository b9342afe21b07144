/** The notice that refloat writes ahead and the recorder only prints: once, and only while it is so (DESIGN 9). */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptNotice, parseNotice, printNotice } from "../../src/agents/inbox/notice-file.ts";
import { testRepository } from "../support/git-repository.ts";
import { claudeEvents, type HookedPlace, hookedPlace } from "./hooked-place.ts";
import { callHook, callTwice, hookedHome, SHELLS, tellingsAreOld } from "./recorder.ts";

const OLD = "11111111-2222-4333-8444-555555555555";
const NEW = "22222222-2222-4333-8444-555555555555";

const dueOf = ({ home, workspace }: HookedPlace): string => join(home, "open", workspace, ".due.notice!");
const markOf = ({ home, workspace }: HookedPlace): string => join(home, "open", workspace, `.claude.${OLD}!`);

/** An agent that calls its hooks around its work and dies in its call; what it left is in the tree. */
function cutOff(): HookedPlace {
  const place = hookedPlace({ "a.txt": "a\n" });
  hookedHome(place.home);
  const events = claudeEvents(OLD, place.workspace);
  const calls = [
    ["SessionStart", events.start],
    ["UserPromptSubmit", events.prompt("change a.txt")],
    ["PreToolUse", events.before("t1", "echo more >> a.txt; sleep 99")],
  ].map(([event, payload]) => [event, JSON.stringify(payload)]);
  const agent = `
    const { spawnSync } = require("node:child_process");
    for (const [event, input] of ${JSON.stringify(calls)})
      spawnSync(process.argv[1], ["claude", event], { input });
    require("node:fs").appendFileSync("a.txt", "more\\n");
  `;
  spawnSync(process.execPath, ["-e", agent, join(place.home, "bin/refloat-hook")], { cwd: place.workspace });
  return place;
}

const started = (place: HookedPlace, { cwd = place.workspace, id = NEW, shell = ["sh"] } = {}): string => {
  const input = JSON.stringify({ session_id: id, cwd, source: "startup" });
  return callHook(place.home, { cwd, input, shell, event: "SessionStart" }).stdout;
};

const contextOf = (printed: string): string =>
  (JSON.parse(printed) as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput
    .additionalContext;

describe("a notice that is written ahead", () => {
  it.each(SHELLS)(
    "is printed by %s as it was written, with its groups and its session, once",
    async (...shell) => {
      const place = cutOff();
      const [session] = await place.sessions();
      expect(session).toMatchObject({ state: "interrupted" });
      expect(existsSync(markOf(place))).toBe(false);
      const kept = keptNotice(dueOf(place));
      const told = contextOf(started(place, { shell }));
      expect(told).toBe(kept?.kind === "due" ? kept.text : null);
      expect(told).toMatch(/^An earlier session of `?claude`? was cut off here/);
      expect(told).toContain("1 group of changes");
      expect(told).toContain(`refloat handoff ${session?.id}`);
      expect(started(place, { id: "third", shell })).toBe("");
      // Before the event that says so is taken in, and after it.
      await place.sessions();
      expect(started(place, { id: "third", shell })).toBe("");
      const prompt = JSON.stringify(claudeEvents(NEW, place.workspace).prompt("go on"));
      callHook(place.home, { cwd: place.workspace, input: prompt, event: "UserPromptSubmit" });
      await place.sessions();
      expect(started(place, { id: "fourth", shell })).toBe("");
    },
  );

  it("comes once where two entries of ours are called side by side", async () => {
    const place = cutOff();
    await place.sessions();
    const input = JSON.stringify({ session_id: NEW, cwd: place.workspace, source: "startup" });
    const printed = await callTwice(place.home, { cwd: place.workspace, input });
    expect(printed.filter((text) => text !== "")).toHaveLength(1);
    expect(keptNotice(dueOf(place))?.kind).toBe("told");
  });

  it("is given again to the session that was told, after its context was shortened, until it is settled", async () => {
    const place = cutOff();
    await place.sessions();
    const first = started(place);
    const input = JSON.stringify({ session_id: NEW, cwd: place.workspace, source: "compact" });
    const again = () => callHook(place.home, { cwd: place.workspace, input, event: "SessionStart" }).stdout;
    expect(again()).toBe(first);
    await place.sessions();
    tellingsAreOld(place.home, place.workspace);
    expect(again()).toBe(first);
    await place.refloat(["discard", "--all", "--yes"]);
    expect(again()).toBe("");
  });

  it("is taken away by whoever settles the work", async () => {
    const place = cutOff();
    await place.sessions();
    expect(existsSync(dueOf(place))).toBe(true);
    expect((await place.refloat(["park", "--all", "--yes"])).code).toBe(0);
    expect(existsSync(dueOf(place))).toBe(false);
    expect(started(place)).toBe("");
  });

  it("T1: is nobody's where the first that refloat did was to settle the work", async () => {
    const place = cutOff();
    expect((await place.refloat(["discard", "--all", "--yes"])).code).toBe(0);
    expect(started(place)).toBe("");
  });

  it("K2: an interruption that left no changes is told by its mark, also after refloat has looked", async () => {
    const place = cutOff();
    place.repo.git("checkout", "-q", "a.txt");
    expect(await place.sessions()).toMatchObject([{ state: "interrupted", unsettled: false }]);
    expect(existsSync(dueOf(place))).toBe(false);
    expect(contextOf(started(place))).toContain("ended in the middle of a turn");
    expect(started(place, { id: "third" })).toBe("");
  });

  it("is not printed where the branch was changed or got a commit since, or when it grew old", async () => {
    for (const change of [
      (place: HookedPlace) => place.repo.git("checkout", "-q", "-b", "other"),
      (place: HookedPlace) => place.repo.git("commit", "-qam", "by hand"),
      (place: HookedPlace) => {
        const path = dueOf(place);
        writeFileSync(path, readFileSync(path, "utf8").replace(/^until \d+$/m, "until 1000"));
      },
    ]) {
      const place = cutOff();
      await place.sessions();
      change(place);
      expect(started(place)).toBe("");
    }
  });

  it("is found from a folder below, and not from a repository in it", async () => {
    const place = cutOff();
    mkdirSync(join(place.workspace, "own"));
    testRepository(join(place.workspace, "own"));
    mkdirSync(join(place.workspace, "src/deep"), { recursive: true });
    await place.sessions();
    expect(started(place, { cwd: join(place.workspace, "own") })).toBe("");
    expect(started(place, { cwd: join(place.workspace, "src/deep") })).not.toBe("");
  });

  it("is not written while its turn was told by a mark already (once)", async () => {
    const place = cutOff();
    expect(contextOf(started(place))).toContain("ended in the middle of a turn");
    const prompt = JSON.stringify(claudeEvents(NEW, place.workspace).prompt("go on"));
    callHook(place.home, { cwd: place.workspace, input: prompt, event: "UserPromptSubmit" });
    await place.sessions();
    expect(existsSync(dueOf(place))).toBe(false);
    expect(started(place, { id: "third" })).toBe("");
  });

  it("says again what was written, and nothing where a line could not be read alike (T3)", () => {
    const notice = {
      about: { session: "s-1", attempt: 2 },
      untilMs: 5000,
      trueOf: [{ file: "/a b/.git/HEAD", line: "ref: refs/heads/main" }],
      text: "one\ntext\ntwo\n",
    };
    expect(parseNotice(printNotice(notice) ?? "")).toEqual({ kind: "due", ...notice });
    expect(printNotice({ ...notice, trueOf: [{ file: "/a\nabout x 1", line: "" }] })).toBeNull();
    expect(parseNotice("refloat-notice 2\nabout s 1\ntext\n")).toBeNull();
    expect(parseNotice("refloat-notice 1\nabout ../../x 1\nuntil 1\ntext\n")).toBeNull();
  });
});
