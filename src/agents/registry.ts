/** The agents refloat knows. Adding one is adding a folder, a line here and its place in agents-here.ts; docs/agents.md says what belongs into it. */
import { aider } from "./aider/agent.ts";
import { claude } from "./claude/agent.ts";
import { codex } from "./codex/agent.ts";
import { continueCli } from "./continue/agent.ts";
import { copilot } from "./copilot/agent.ts";
import { gemini } from "./gemini/agent.ts";
import { goose } from "./goose/agent.ts";
import { gptme } from "./gptme/agent.ts";
import { hermes } from "./hermes/agent.ts";
import { opencode } from "./opencode/agent.ts";
import { pi } from "./pi/agent.ts";
import { qwen } from "./qwen/agent.ts";
import type { AgentAdapter } from "./words/adapter.ts";

/** A line each. */
export const AGENTS: readonly AgentAdapter[] = [
  aider, //
  claude,
  codex,
  continueCli,
  copilot,
  gemini,
  goose,
  gptme,
  hermes,
  opencode,
  pi,
  qwen,
];

export const agentNamed = (name: string): AgentAdapter | null =>
  AGENTS.find((agent) => agent.name === name) ?? null;

/** Whose command line this is; null: no agent we know. */
export const agentOfCommand = (command: readonly string[]): AgentAdapter | null =>
  AGENTS.find(({ launch }) => launch?.recognizes(command) === true) ?? null;
