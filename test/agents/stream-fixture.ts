/** The live output of a fixture's run, heard as `run` would hear it: by the command's own form of output. */
import { readFileSync } from "node:fs";
import type { AgentAdapter } from "../../src/agents/words/adapter.ts";
import type { Heard } from "../../src/agents/words/heard.ts";
import { isJsonObject, type JsonObject } from "../../src/model/json.ts";

/** A command whose output is JSON, for each agent that has one. */
export const STREAMED: Readonly<Record<string, readonly string[]>> = {
  claude: ["claude", "-p", "do it", "--output-format", "stream-json", "--verbose"],
  codex: ["codex", "exec", "--json", "do it"],
  copilot: ["copilot", "-p", "do it", "--output-format", "json"],
  gemini: ["gemini", "--output-format", "stream-json", "-p", "do it"],
  opencode: ["opencode", "run", "--format", "json", "do it"],
  pi: ["pi", "--mode", "json", "-p", "do it"],
  qwen: ["qwen", "--output-format", "stream-json", "-p", "do it"],
};

export const linesOf = (path: string): readonly JsonObject[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown)
    .filter(isJsonObject);

export function hearStream(agent: AgentAdapter, path: string): readonly Heard[] {
  const reader = agent.launch?.stream(STREAMED[agent.name] ?? []) ?? null;
  if (reader === null) throw new Error(`${agent.name}: no stream`);
  return linesOf(path).flatMap((line) => reader.read(line));
}
