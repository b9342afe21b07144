/** What faces say of what came by hooks: how a session is seen, what it is at, what is held of the tree before a call that may destroy. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { displayWidth } from "../../src/text/width.ts";
import { claudeEvents, fakeAgent, hookedPlace } from "./hooked-place.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";

it("a session says how it is seen, and a live one what it is at by its hooks", async () => {
  const place = hookedPlace();
  const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
  place.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
  place.tell("claude", "PreToolUse", events.before("t1", "sleep 77"), agent);
  expect(await place.sessions()).toMatchObject([{ seen_by: ["hooks"] }]);
  const { stdout: status } = await place.refloat([]);
  expect(status).toContain("at work, seen by its hooks");
  expect(status).not.toContain("supervisor is gone");
  const { stdout: shown } = await place.refloat(["show"]);
  expect(shown).toMatch(/seen by\s+hooks/);
  expect(shown).toMatch(/last hook\s+PreToolUse/);
  expect(shown).toMatch(/in the call\s+Bash sleep 77/);
  const { json } = await place.json(["show"]);
  expect(json.hooks).toMatchObject({ last_event: "PreToolUse", in_calls: [{ tool: "Bash" }] });
});

it("L6: bare refloat says what the session that was cut off was asked and the call it was in, a line each, without secrets and harmless (T3, T4)", async () => {
  const place = hookedPlace();
  const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
  const goal = `make\nit \x1b[31mgreen with ghp_${"a1B2".repeat(9)} ${"and on ".repeat(200)}`;
  place.tell("claude", "UserPromptSubmit", events.prompt(goal), agent);
  place.tell("claude", "PreToolUse", events.before("t1", "true"), agent);
  place.tell("claude", "PostToolUse", events.after("t1", "true"), agent);
  place.tell("claude", "PreToolUse", events.before("t2", `deploy --now ${"x".repeat(5000)}`), agent);
  await agent.kill();
  const { stdout } = await place.refloat([]);
  const lines = stdout.split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  expect(stdout).toMatch(/^Goal: make it ␛\[31mgreen with \S*redacted/im);
  expect(stdout).toMatch(/^May have happened: Bash deploy --now x+/m);
  for (const raw of ["\x1b", "ghp_a1B2"]) expect(stdout).not.toContain(raw);
  const { json } = await place.json([]);
  expect(json.cut_off).toMatchObject({ session: json.sessions[0].id, calls: [{ tool: "Bash" }] });
  expect(JSON.stringify(json)).not.toContain("ghp_a1B2");
  expect(JSON.stringify(json).length).toBeLessThan(6000);
});

it("a capture before a call that may destroy is named with that call, and so is that there is none (DESIGN 6)", async () => {
  const place = hookedPlace({ "a.txt": "a\n", "b.txt": "b\n" });
  const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
  place.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
  const held = { ...agent, before: { kind: "held", capture: "0123456789abcdef0123" } as const };
  place.tell("claude", "PreToolUse", events.before("t1", "rm -rf a.txt"), held);
  place.tell("claude", "PostToolUse", events.after("t1", "rm -rf a.txt"), agent);
  const none = { ...agent, before: { kind: "none", reason: "took too long" } as const };
  place.tell("claude", "PreToolUse", events.before("t2", "rm -rf b.txt; sleep 9"), none);
  await agent.kill();
  rmSync(join(place.workspace, "a.txt"));
  const calls = await place.calls();
  expect(calls.map(({ before }) => before)).toEqual([
    { kind: "held", capture: "0123456789abcdef0123" },
    { kind: "none", reason: "took too long" },
  ]);
  for (const command of [["inspect"], ["show"], ["log"], []]) {
    const { stdout } = await place.refloat(command);
    expect(stdout, command.join()).toContain("no before-image: took too long");
  }
  for (const command of ["show", "log"])
    expect((await place.refloat([command])).stdout, command).toContain(
      "held before it: refloat restore 01234567",
    );
  expect((await place.refloat(["handoff"])).stdout).toContain("No before-image: `took too long`.");
  expect((await place.json(["handoff"])).json.calls).toMatchObject([{ before: { kind: "none" } }]);
  expect(await place.sessions()).toMatchObject([{ before: { kind: "none", reason: "took too long" } }]);
});

it("while it lives, a call that may destroy is named with what is held before it, and no more once it is over (T1)", async () => {
  const place = hookedPlace();
  const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
  place.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
  place.tell("claude", "PreToolUse", events.before("t1", "rm -rf x"), {
    ...agent,
    before: { kind: "held", capture: "0123456789abcdef0123" },
  });
  const words = "held before it: refloat restore 01234567";
  expect((await place.refloat(["show"])).stdout).toContain(words);
  expect((await place.refloat([])).stdout).toContain(words);
  place.tell("claude", "PostToolUse", events.after("t1", "rm -rf x"), agent);
  expect((await place.refloat([])).stdout).not.toContain("held before it");
});

it("a session whose first word is what the program held before its call shows that call (K2)", async () => {
  const place = hookedPlace({ "a.txt": "a\n" });
  place.write({ "new.txt": "new\n" });
  const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
  const payload = events.before("t1", "rm -rf new.txt");
  const { stdout } = await place.refloat(["hook", "capture", "claude"], { stdin: JSON.stringify(payload) });
  const capture = /^capture (\S+)/.exec(stdout)?.[1] ?? "";
  place.tell("claude", "PreToolUse", payload, { ...agent, before: { kind: "held", capture } });
  await agent.kill();
  expect(await place.calls()).toMatchObject([{ tool: "Bash", before: { kind: "held", capture } }]);
  expect(await place.sessions()).toMatchObject([{ state: "interrupted", seen_by: ["hooks"] }]);
});

it("what was held before a command that takes away goes back whole by its id alone, and the list says before which (W5)", async () => {
  const place = hookedPlace({ "src/a.txt": "a\n", "src/b.txt": "b\n" });
  place.write({ "src/b.txt": "changed\n", "src/new.txt": "new\n" });
  const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
  place.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
  await place.sessions();
  const input = JSON.stringify(events.before("t1", "rm -rf src"));
  const { stdout: said } = await place.refloat(["hook", "capture", "claude"], { stdin: input });
  const capture = /^capture (\S+)/.exec(said)?.[1] ?? "";
  const before = { kind: "held", capture } as const;
  place.tell("claude", "PreToolUse", events.before("t1", "rm -rf src"), { ...agent, before });
  place.tell("claude", "PostToolUse", events.after("t1", "rm -rf src"), agent);
  place.tell("claude", "PreToolUse", events.before("t2", "rm -rf src; sleep 9"), { ...agent, before });
  await agent.kill();
  rmSync(join(place.workspace, "src"), { recursive: true });
  expect((await place.calls()).map(({ before: image }) => image)).toContainEqual(before);
  expect((await place.refloat(["captures"])).stdout).toContain("before rm -rf src");
  expect((await place.refloat(["inspect"])).stdout).toContain(
    `held before it: refloat restore ${capture.slice(0, 8)}`,
  );
  const { code, json } = await place.json(["restore", capture, "--yes"]);
  expect([code, json.done, json.left ?? []]).toEqual([0, true, []]);
  const read = (name: string): string => readFileSync(join(place.workspace, "src", name), "utf8");
  expect([read("a.txt"), read("b.txt"), read("new.txt")]).toEqual(["a\n", "changed\n", "new\n"]);
  expect(existsSync(join(place.workspace, "src"))).toBe(true);
});

it("D3: a try that only its hooks tell of has the times of its events, not of the look, and so has its turn", async () => {
  const place = hookedPlace();
  const hour = 3_600_000;
  const start = Date.now() - 5 * hour;
  const at = (hours: number) => new Date(start + hours * hour).toISOString();
  const agent = fakeAgent();
  const told = (hours: number) => ({ ...agent, atMs: start + hours * hour });
  const events = claudeEvents(SESSION, place.workspace);
  place.tell("claude", "UserPromptSubmit", events.prompt("go"), told(0));
  place.tell("claude", "PreToolUse", events.before("t1", "make"), told(1));
  place.tell("claude", "PostToolUse", events.after("t1", "make"), told(2));
  place.tell("claude", "Stop", events.stop("Done."), told(3));
  place.tell("claude", "SessionEnd", events.end, told(4));
  await agent.kill();
  expect(await place.sessions()).toMatchObject([{ state: "finished", started_at: at(0), ended_at: at(4) }]);
  const { json } = await place.json(["show"]);
  expect(json.attempts).toMatchObject([{ attempt: 1, at: at(0), ended_at: at(4) }]);
  expect(json.turns).toMatchObject([{ started_at: at(0), ended_at: at(3) }]);
  expect(json.calls).toMatchObject([{ started_at: at(1), ended_at: at(2) }]);
});
