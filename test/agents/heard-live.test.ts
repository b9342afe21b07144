/** What is heard while an agent runs has the ids of what is read afterwards (D4), for agents whose stream knows more, or less, than their files. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { opencode } from "../../src/agents/opencode/agent.ts";
import { qwen } from "../../src/agents/qwen/agent.ts";
import { readTranscript } from "../../src/agents/transcript/read-transcript.ts";
import type { AgentAdapter } from "../../src/agents/words/adapter.ts";
import type { Heard } from "../../src/agents/words/heard.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { homeOf } from "./fixture-home.ts";
import { transcriptsOf } from "./hear-fixture.ts";

const FIXTURES = join(import.meta.dirname, "transcripts");

/** `more`: calls that only the stream has. `less`: calls the stream has not, as they were not over. */
const STREAMS: readonly (readonly [AgentAdapter, readonly string[], "more" | "less" | "same"])[] = [
  [gemini, ["gemini", "--output-format", "stream-json", "-p", "do it"], "more"],
  [opencode, ["opencode", "run", "--format", "json", "do it"], "less"],
  [qwen, ["qwen", "--output-format", "stream-json", "-p", "do it"], "same"],
];

function live(agent: AgentAdapter, command: readonly string[], folder: string): readonly Heard[] {
  const reader = agent.launch?.stream(command);
  return readFileSync(join(folder, "stdout.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => reader?.read(JSON.parse(line) as JsonObject) ?? []);
}

function read(agent: AgentAdapter, folder: string): readonly Heard[] {
  const heard: Heard[] = [];
  for (const found of transcriptsOf(agent, homeOf(folder)))
    readTranscript(found, agent.transcript, { hear: (one) => heard.push(one), damaged: () => undefined });
  return heard;
}

const callsOf = (heard: readonly Heard[]): ReadonlySet<string> =>
  new Set(heard.flatMap((one) => (one.kind === "call" ? [one.id] : [])));
const resultsOf = (heard: readonly Heard[]): ReadonlySet<string> =>
  new Set(heard.flatMap((one) => (one.kind === "result" ? [one.call] : [])));
const isWithin = (few: ReadonlySet<string>, many: ReadonlySet<string>): boolean =>
  [...few].every((one) => many.has(one));

const named = STREAMS.map(([agent, ...rest]) => [agent.name, agent, ...rest] as const);

describe.each(named)("heard live from %s", (_name, agent, command, knows) => {
  // Of a few only the transcript was kept.
  const cases = readdirSync(join(FIXTURES, agent.name)).filter((which) =>
    existsSync(join(FIXTURES, agent.name, which, "stdout.jsonl")),
  );

  it.each(cases)("in %s: the same calls and the same session, whichever way they were heard", (which) => {
    const folder = join(FIXTURES, agent.name, which);
    const [heard, left] = [live(agent, command, folder), read(agent, folder)];
    if (knows !== "more") expect(isWithin(callsOf(heard), callsOf(left))).toBe(true);
    if (knows !== "less") expect(isWithin(callsOf(left), callsOf(heard))).toBe(true);
    expect(isWithin(resultsOf(heard), resultsOf(left))).toBe(true);
    const sessions = [heard, left].map((all) => all.find((one) => one.kind === "session")?.nativeId);
    expect(sessions[0]).toBe(sessions[1]);
    expect(heard.filter(({ kind }) => kind === "unknown")).toEqual([]);
  });

  it("ends a turn on record where nothing cut it off, and only there", () => {
    const ended = cases.filter((which) =>
      live(agent, command, join(FIXTURES, agent.name, which)).some(
        (one) => one.kind === "turn-ended" && one.proof === "record",
      ),
    );
    expect(ended).toEqual(["clean", "every-tool"]);
  });
});
