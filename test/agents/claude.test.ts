/** What Claude Code leaves beside its transcripts, and what it says only while it runs. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claude } from "../../src/agents/claude/agent.ts";
import { transcriptsOf } from "./hear-fixture.ts";
import { hearStream } from "./stream-fixture.ts";

const home = (which: string): string => join(import.meta.dirname, "transcripts/claude", which);

describe("marks of life", () => {
  it("a kill leaves one with the process's start, by which its pid is told from another's (K2)", () => {
    const [mark, ...more] = claude.places.marks({ home: home("killed-in-tool"), env: {} });
    expect(more).toEqual([]);
    expect(mark).toMatchObject({ nativeId: "11111111-2222-4333-8444-555555555555", pid: 34 });
    expect(mark?.processStart).toBeGreaterThan(0);
    expect(mark?.pidNamespace).toMatch(/^pid:\[\d+\]$/);
  });

  it.each(["clean", "sigterm-in-tool", "sigint-in-tool"])("an end in order leaves none: %s", (which) => {
    expect(claude.places.marks({ home: home(which), env: {} })).toEqual([]);
  });

  it("its folder is where the environment says", () => {
    const env = { CLAUDE_CONFIG_DIR: join(home("clean"), ".claude") };
    expect(claude.places.find({ home: "/nowhere", env }, "/nowhere")).toHaveLength(1);
  });
});

describe("subagents", () => {
  it("each is found with the session and the call that began it", () => {
    const children = transcriptsOf(claude, home("killed-in-subagent")).flatMap(({ child }) => child ?? []);
    expect(children.map(({ label }) => label).toSorted()).toEqual(["quick child", "slow child"]);
    for (const { parent, call } of children) {
      expect(parent).toBe("11111111-2222-4333-8444-555555555555");
      expect(call).toMatch(/^toolu_/);
    }
  });

  it("are heard of as they begin and end", () => {
    const states = hearStream(claude, join(home("killed-in-subagent"), "stdout.jsonl")).flatMap((one) =>
      one.kind === "child" ? [`${one.label} ${one.state}`] : [],
    );
    expect(states).toEqual(expect.arrayContaining(["quick child begun", "slow child begun"]));
    expect(states.some((one) => one.endsWith("done"))).toBe(true);
    expect(states).not.toContain("slow child done");
  });
});

describe("the live stream", () => {
  it("has the words that were cut off, which no transcript keeps", () => {
    const heard = hearStream(claude, join(home("sigterm-in-stream"), "stdout.jsonl"));
    const over = new Set(heard.flatMap((one) => (one.kind === "delta-over" ? [one.id] : [])));
    const cutOff = heard
      .flatMap((one) => (one.kind === "delta" && !over.has(one.id) ? [one.text] : []))
      .join("");
    expect(cutOff).toMatch(/^Now I explain at length what I have done so far/);
    expect(heard.some(({ kind }) => kind === "turn-ended")).toBe(false);
  });

  it.each([
    ["clean", ["completed"]],
    ["sigint-in-tool", ["cancelled", "cancelled"]],
    ["sigterm-in-tool", []],
    ["killed-in-tool", []],
    ["limit", ["failed", "failed"]],
  ])("says itself how the turn ended (L7): %s", (which, outcomes) => {
    const heard = hearStream(claude, join(home(which), "stdout.jsonl"));
    expect(heard.flatMap((one) => (one.kind === "turn-ended" ? [one.outcome] : []))).toEqual(outcomes);
  });
});
