/** What is heard while an agent runs has the ids of what is read afterwards: the same call is one call (D4). */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../src/agents/registry.ts";
import type { Heard } from "../../src/agents/words/heard.ts";
import { heardOf } from "./hear-fixture.ts";
import { hearStream, STREAMED } from "./stream-fixture.ts";

const FIXTURES = join(import.meta.dirname, "transcripts");

const idsOf = (heard: readonly Heard[], kind: "call" | "result" | "message"): readonly string[] =>
  heard.flatMap((one) => {
    if (one.kind !== kind) return [];
    return [one.kind === "result" ? one.call : one.kind === "message" || one.kind === "call" ? one.id : ""];
  });

/** Its stream has no ids of the file: what it says of calls is heard from the file alone. */
const FROM_THE_FILE: ReadonlySet<string> = new Set(["codex"]);

/** Whose streams know more, or less, than their files: heard-live.test.ts; pi's only what is being said. */
const ELSEWHERE = new Set(["gemini", "opencode", "pi", "qwen"]);

const runs = AGENTS.filter(({ name }) => STREAMED[name] !== undefined && !ELSEWHERE.has(name)).flatMap(
  (agent) =>
    readdirSync(join(FIXTURES, agent.name))
      .map((which) => join(FIXTURES, agent.name, which))
      .filter((home) => existsSync(join(home, "stdout.jsonl")))
      .map((home) => [home.slice(FIXTURES.length + 1), agent, home] as const),
);

describe("heard live and read afterwards", () => {
  it.each(runs)("%s", (_which, agent, home) => {
    const live = hearStream(agent, join(home, "stdout.jsonl"));
    if (FROM_THE_FILE.has(agent.name)) {
      expect(live.filter(({ kind }) => ["call", "result", "message"].includes(kind))).toEqual([]);
      expect(live.some(({ kind }) => kind === "session")).toBe(true);
      return;
    }
    const read = heardOf(agent, home);
    expect(new Set(idsOf(live, "call"))).toEqual(new Set(idsOf(read, "call")));
    expect(new Set(idsOf(live, "result"))).toEqual(new Set(idsOf(read, "result")));
    const messages = new Set(idsOf(read, "message"));
    for (const id of idsOf(live, "message")) expect(messages).toContain(id);
  });
});
