/** Hooks of each real agent set up by hand, every event it has: the recorder is called as `RECORDER AGENT EVENT` with the payload on its input. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentName } from "../../agents/real/agent-clis.ts";

export type HookedAgent = Exclude<AgentName, "continue">;

export const HOOKED_AGENTS: readonly HookedAgent[] = [
  ...(["claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen"] as const),
];

interface HookPlace {
  readonly home: string;
  /** A program. */
  readonly recorder: string;
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
const OPENCODE = ["session.created", "session.idle", "session.error", "session.compacted"];
const PI = [
  ...["session_start", "session_shutdown", "session_compact", "input", "agent_start", "agent_end"],
  ...["agent_settled", "tool_call", "tool_result"],
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

/** What a plugin of ours does for an event: the same as a hook's command. */
const CALLS = (recorder: string, agent: string): string =>
  `import { spawnSync } from "node:child_process";
const tell = (event, payload) =>
  spawnSync(${JSON.stringify(recorder)}, [${JSON.stringify(agent)}, event], { input: JSON.stringify(payload) });
`;

const opencodePlugin = (recorder: string): string => `${CALLS(recorder, "opencode")}
const wanted = new Set(${JSON.stringify(OPENCODE)});
export const Recorder = async ({ directory, worktree }) => {
  const place = { directory, worktree };
  const hook = (name) => async (input, output) =>
    tell(name, { sessionID: input.sessionID, ...place, input, output });
  return {
    event: async ({ event }) => {
      if (wanted.has(event.type))
        tell(event.type, { sessionID: event.properties?.sessionID ?? null, ...place, event });
    },
    ...Object.fromEntries(["chat.message", "tool.execute.before", "tool.execute.after"].map((name) => [name, hook(name)])),
  };
};
`;

const piExtension = (recorder: string): string => `${CALLS(recorder, "pi")}
export default (pi) => {
  for (const name of ${JSON.stringify(PI)})
    pi.on(name, async (event, { cwd, sessionManager }) => {
      const session = { session_id: sessionManager.getSessionId(), session_file: sessionManager.getSessionFile() };
      tell(name, { ...session, cwd, event });
    });
};
`;

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
      write(join(at.home, ".config/opencode/plugin/refloat.js"), opencodePlugin(at.recorder));
      break;
    case "pi":
      write(join(at.home, ".pi/agent/extensions/refloat.ts"), piExtension(at.recorder));
      break;
  }
}

/** What must stand on its command line so that hooks nobody has trusted yet are called. */
export const hookFlags = (agent: HookedAgent): readonly string[] =>
  agent === "codex" ? ["--dangerously-bypass-hook-trust"] : [];
