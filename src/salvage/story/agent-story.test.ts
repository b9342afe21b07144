/** What the agent's own records add to a story: the newest plan, each subagent once, the request that is about work. */
import { expect, it } from "vitest";
import type { StoredRecord } from "../../model/record.ts";
import { AgentFold, firstAbout } from "./agent-story.ts";

function told(...records: readonly (readonly [kind: string, body: object])[]): AgentFold["told"] {
  const fold = new AgentFold();
  for (const [kind, body] of records) fold.add({ kind, body } as unknown as StoredRecord);
  return fold.told;
}

it("is the plan as it was last told, and nothing of what does not fit (D5)", () => {
  const first = ["agent.planned", { items: [{ text: "old", state: "open" }] }] as const;
  const items = [
    { text: "new", state: "doing" },
    { text: 1, state: "done" },
    null,
    { text: "x", state: "maybe" },
  ];
  expect(told(first, ["agent.planned", { items }]).plan).toEqual([{ text: "new", state: "doing" }]);
  expect(told(first, ["agent.planned", { items: "none" }]).plan).toEqual([]);
});

it("has each subagent once, with the name one of its records gives; what is over does not begin again", () => {
  const child = (state: string, label: string) => ["agent.child", { child: "c", label, state }] as const;
  expect(told(child("done", "quick"), child("begun", "")).children).toEqual([
    { id: "c", label: "quick", state: "done" },
  ]);
  expect(told(child("begun", "quick"), child("failed", "")).children).toEqual([
    { id: "c", label: "quick", state: "failed" },
  ]);
  expect(told(["agent.compacted", {}], ["agent.compacted", {}]).compactions).toBe(2);
});

it("takes for the goal what is about work, never a word to the agent's program", () => {
  const asked = (...texts: string[]): string | undefined => firstAbout(texts.map((text) => ({ text })))?.text;
  expect(asked("/model opus", "/compact", "fix the parser")).toBe("fix the parser");
  expect(asked("/review the parser", "go on")).toBe("/review the parser");
  expect(asked("/clear")).toBe("/clear");
  expect(asked()).toBeUndefined();
});
