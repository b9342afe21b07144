/** What faces say of what came by hooks: how a session is seen, what it is at, what is held of the tree before a call that may destroy. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
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
  const { stdout } = await place.refloat(["inspect"]);
  expect(stdout).toContain("no before-image: took too long");
});
