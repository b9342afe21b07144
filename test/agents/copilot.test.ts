/** What Copilot CLI leaves beside its journal, and what it says only while it runs. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copilot } from "../../src/agents/copilot/agent.ts";
import { hearStream } from "./stream-fixture.ts";

const home = (which: string): string => join(import.meta.dirname, "transcripts/copilot", which);

describe("marks of life", () => {
  it("a kill leaves a lock with the pid, an end in order none", () => {
    const marks = copilot.places.marks({ home: home("killed-in-tool"), env: {} });
    expect(marks).toMatchObject([{ pid: 26, processStart: null }]);
    expect(marks[0]?.nativeId).toMatch(/^[0-9a-f-]{36}$/);
    expect(copilot.places.marks({ home: home("clean"), env: {} })).toEqual([]);
  });

  it("its folder is where the environment says", () => {
    const env = { COPILOT_HOME: join(home("clean"), ".copilot") };
    expect(copilot.places.find({ home: "/nowhere", env }, "/nowhere")).toHaveLength(1);
  });
});

describe("the live stream", () => {
  it("has the words that were cut off, which no journal keeps", () => {
    const heard = hearStream(copilot, join(home("killed-in-stream"), "stdout.jsonl"));
    const over = new Set(heard.flatMap((one) => (one.kind === "message" ? [one.id] : [])));
    const cutOff = heard
      .flatMap((one) => (one.kind === "delta" && !over.has(one.id) ? [one.text] : []))
      .join("");
    expect(cutOff).toMatch(/^Now I explain at length what I have done so far/);
  });

  it.each([
    ["clean", ["completed"]],
    ["sigterm-in-tool", ["cancelled"]],
    ["killed-in-tool", []],
    ["limit", ["failed"]],
  ])("says itself how the turn ended (L7): %s", (which, outcomes) => {
    const heard = hearStream(copilot, join(home(which), "stdout.jsonl"));
    expect(heard.flatMap((one) => (one.kind === "turn-ended" ? [one.outcome] : []))).toEqual(outcomes);
  });
});
