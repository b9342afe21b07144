/**
 * Hooks of each real agent set up by hand, every event it has: the recorder is called as `RECORDER AGENT EVENT` with the payload on its input. OpenCode and pi
 * have the plugin and the extension that we ship.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pluginText } from "../../../src/agents/install/commands.ts";
import type { AgentName } from "../../agents/real/agent-clis.ts";

export type HookedAgent = Exclude<AgentName, "continue">;

export const HOOKED_AGENTS: readonly HookedAgent[] = [
  ...(["claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen"] as const),
];

interface HookPlace {
  readonly home: string;
  /** A program. */
  readonly recorder: string;
  /** REFLOAT_HOME. */
  readonly refloat: string;
}

const CLAUDE_LIKE = [
  ...["SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"],
  ...["Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Notification"],
];
const CODEX = [
  ...["SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest"],
  ...["Stop", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Interrupt"],
];
const GEMINI = [
  ...["SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "PreCompress"],
];
const COPILOT = [
  ...["sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse", "agentStop"],
  ...["subagentStop", "errorOccurred", "preCompact"],
];
function put(path: string, more: object): void {
  const old = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as object) : {};
  write(path, JSON.stringify({ ...old, ...more }));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const entries = (
  { recorder }: HookPlace,
  agent: string,
  events: readonly string[],
  more: object = {},
): object =>
  Object.fromEntries(
    events.map((event) => {
      const command = `"${recorder}" ${agent} ${event}`;
      return [event, [{ matcher: "", hooks: [{ type: "command", command, ...more }] }]];
    }),
  );

/** As `init` puts it there: the shipped plugin, which writes into this home. */
function shipped(home: string, name: "opencode.js" | "pi.js"): string {
  const hooks = join(import.meta.dirname, "../../../hooks");
  return pluginText(
    [home],
    ["inbox-writer.js", name].map((file) => readFileSync(join(hooks, file), "utf8")),
  );
}

export function prepareHooks(agent: HookedAgent, at: HookPlace): void {
  switch (agent) {
    case "claude":
      put(join(at.home, ".claude/settings.json"), { hooks: entries(at, agent, CLAUDE_LIKE) });
      break;
    case "qwen":
      put(join(at.home, ".qwen/settings.json"), { hooks: entries(at, agent, CLAUDE_LIKE) });
      break;
    case "codex":
      put(join(at.home, ".codex/hooks.json"), { hooks: entries(at, agent, CODEX) });
      break;
    case "gemini":
      put(join(at.home, ".gemini/settings.json"), { hooks: entries(at, agent, GEMINI) });
      break;
    case "copilot":
      put(join(at.home, ".copilot/hooks/refloat.json"), {
        version: 1,
        hooks: Object.fromEntries(
          COPILOT.map((event) => [event, [{ type: "command", bash: `"${at.recorder}" ${agent} ${event}` }]]),
        ),
      });
      break;
    case "opencode":
      write(join(at.home, ".config/opencode/plugin/refloat.js"), shipped(at.refloat, "opencode.js"));
      break;
    case "pi":
      write(join(at.home, ".pi/agent/extensions/refloat.ts"), shipped(at.refloat, "pi.js"));
      break;
  }
}

/** What must stand on its command line so that hooks nobody has trusted yet are called. */
export const hookFlags = (agent: HookedAgent): readonly string[] =>
  agent === "codex" ? ["--dangerously-bypass-hook-trust"] : [];
