/** C3: an answer that came to its end is not left growing in what was heard of a stream: it would be told a second time, as cut off. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claude } from "../../src/agents/claude/agent.ts";
import { codex } from "../../src/agents/codex/agent.ts";
import { copilot } from "../../src/agents/copilot/agent.ts";
import { gemini } from "../../src/agents/gemini/agent.ts";
import { opencode } from "../../src/agents/opencode/agent.ts";
import { pi } from "../../src/agents/pi/agent.ts";
import { qwen } from "../../src/agents/qwen/agent.ts";
import { StreamEars } from "../../src/agents/stream/stream-ears.ts";
import type { AgentAdapter } from "../../src/agents/words/adapter.ts";

const STREAMS: readonly (readonly [AgentAdapter, readonly string[]])[] = [
  [claude, ["claude", "-p", "--output-format", "stream-json", "--verbose", "do it"]],
  [codex, ["codex", "exec", "--json", "do it"]],
  [copilot, ["copilot", "-p", "do it", "--output-format", "json"]],
  [gemini, ["gemini", "--output-format", "stream-json", "-p", "do it"]],
  [opencode, ["opencode", "run", "--format", "json", "do it"]],
  [pi, ["pi", "--mode", "json", "-p", "do it"]],
  [qwen, ["qwen", "--output-format", "stream-json", "-p", "do it"]],
];
const ALL_KNOWN = { knows: () => true, hasResult: () => true };

it.each(STREAMS.map(([agent, command]) => [agent.name, agent, command] as const))(
  "C3: of %s, at the end of a run that nothing cut off",
  (name, agent, command) => {
    const reader = agent.launch?.stream(command);
    if (!reader) throw new Error(`${name} has no stream to read by this command`);
    const ears = new StreamEars(reader);
    ears.take(readFileSync(join(import.meta.dirname, "transcripts", name, "clean/stdout.jsonl")));
    expect(ears.beside(ALL_KNOWN).filter(({ kind }) => kind === "delta")).toEqual([]);
  },
);
