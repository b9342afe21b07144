/**
 * Whether any agent ever kept something on this machine: a dozen names looked up, before what reads them is loaded. A command in a home
 * without agents must cost what it did before they were known (P9, P13). A test holds the list against the agents' own places.
 */
import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../platform/places.ts";

/** Below the user's home. */
const FOLDERS = [
  ".claude/projects",
  ".codex/sessions",
  ".continue/sessions",
  ".copilot/session-state",
  ".gemini/tmp",
  ".hermes/state.db",
  ".pi/agent",
  ".qwen/projects",
  ".aider.chat.history.md",
];

/** Below the folder for data. */
const DATA = ["goose", "gptme/logs", "opencode"];

/** In the workspace itself. */
const HERE = [".aider.chat.history.md"];

/** By these a user puts an agent's files elsewhere. */
const VARIABLES = [
  ...["AIDER_CHAT_HISTORY_FILE", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CONTINUE_GLOBAL_DIR", "COPILOT_HOME"],
  ...["GEMINI_CLI_HOME", "GOOSE_PATH_ROOT", "GPTME_LOGS_HOME", "HERMES_HOME", "OPENCODE_DB"],
  ...["PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR", "QWEN_HOME", "QWEN_RUNTIME_DIR"],
];

export function mayHaveAgents(env: Environment, folder: string): boolean {
  if (VARIABLES.some((name) => (env[name] ?? "") !== "")) return true;
  const home = env.HOME ?? homedir();
  const data = env.XDG_DATA_HOME ?? join(home, ".local/share");
  const paths = [
    ...FOLDERS.map((name) => join(home, name)),
    ...DATA.map((name) => join(data, name)),
    ...HERE.map((name) => join(folder, name)),
  ];
  return paths.some((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}
