/** What is heard while an agent runs has the ids of what is read afterwards: the same call is one call (D4). */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../src/agents/registry.ts";
import { StreamEars } from "../../src/agents/stream/stream-ears.ts";
import type { Heard } from "../../src/agents/words/heard.ts";
import { heardOf } from "./hear-fixture.ts";
import { hearStream, linesOf, STREAMED } from "./stream-fixture.ts";

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

const streams = AGENTS.filter(({ name }) => STREAMED[name] !== undefined).flatMap((agent) =>
  readdirSync(join(FIXTURES, agent.name))
    .map((which) => join(FIXTURES, agent.name, which, "stdout.jsonl"))
    .filter((path) => existsSync(path))
    .map((path) => [path.slice(FIXTURES.length + 1), agent, path] as const),
);

describe("P11: a stream that is read as it comes, some of it unparsed", () => {
  it.each(streams)("%s: says what its lines say", (_which, agent, path) => {
    const silent = agent.launch?.stream(STREAMED[agent.name] ?? [])?.silent ?? new Set();
    const lines = linesOf(path).filter(({ type }) => !silent.has(String(type)));
    const read = agent.launch?.stream(STREAMED[agent.name] ?? []);
    const ears = new StreamEars(read ?? { links: () => null, read: () => [] });
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect(ears.take(bytes)).toEqual(hearStream(agent, path));
  });
});
