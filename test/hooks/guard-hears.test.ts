/** `guard` hears first what agents did without refloat, as every face that shows or settles what was left (S1, S7). */
import { describe, expect, it } from "vitest";
import { claudeEvents, fakeAgent, hookedPlace } from "./hooked-place.ts";

describe("guard, asked from elsewhere", () => {
  it("S7: an agent that only its hooks tell of keeps the folder while it lives, held or not", async () => {
    const place = hookedPlace();
    const [agent, events] = [
      fakeAgent(),
      claudeEvents("11111111-2222-4333-8444-555555555555", place.workspace),
    ];
    const { ancestors } = agent;
    place.tell("claude", "UserPromptSubmit", events.prompt("do it"), { ancestors });
    place.tell("claude", "PreToolUse", events.before("t1", "sleep 99"), { ancestors });
    const guarded = await place.json(["guard", place.workspace, "--hold"], { cwd: "/" });
    expect([guarded.code, guarded.json.findings.map(({ kind }: { kind: string }) => kind)]).toEqual([
      1,
      ["live"],
    ]);
    expect(place.waiting()).toEqual([]);
    await agent.kill();
    const after = await place.json(["guard", place.workspace, "--hold"], { cwd: "/" });
    expect([after.code, after.json.verdict]).toEqual([0, "removable"]);
  });
});
