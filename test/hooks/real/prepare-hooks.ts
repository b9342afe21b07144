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
const OPENCODE = ["session.created", "session.idle", "session.error", "session.compacted", "file.edited"];
const PI = [
  ...["session_start", "session_shutdown", "session_compact", "input", "agent_start", "agent_end"],
  ...["tool_call", "tool_result"],
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
export const Recorder = async ({ directory }) => ({
  event: async ({ event }) => {
    if (wanted.has(event.type)) tell(event.type, { cwd: directory, properties: event.properties });
  },
  "chat.message": async (input, output) => tell("chat.message", { cwd: directory, input, output }),
  "tool.execute.before": async (input, output) => tell("tool.execute.before", { cwd: directory, input, output }),
  "tool.execute.after": async (input, output) => tell("tool.execute.after", { cwd: directory, input, output }),
});
`;

const piExtension = (recorder: string): string => `${CALLS(recorder, "pi")}
export default (pi) => {
  for (const name of ${JSON.stringify(PI)})
    pi.on(name, async (event, ctx) => {
      tell(name, { cwd: ctx.cwd, session: ctx.sessionManager?.getSessionId?.() ?? null, event });
    });
};
`;

export function prepareHooks(agent: HookedAgent, at: HookPlace): void {
  switch (agent) {
    case "claude":
      return put(join(at.home, ".claude/settings.json"), { hooks: entries(at, agent, CLAUDE_LIKE) });
    case "qwen":
      return put(join(at.home, ".qwen/settings.json"), { hooks: entries(at, agent, CLAUDE_LIKE) });
    case "codex":
      return put(join(at.home, ".codex/hooks.json"), { hooks: entries(at, agent, CODEX) });
    case "gemini":
      return put(join(at.home, ".gemini/settings.json"), { hooks: entries(at, agent, GEMINI) });
    case "copilot":
      return put(join(at.home, ".copilot/hooks/refloat.json"), {
        version: 1,
        hooks: Object.fromEntries(
          COPILOT.map((event) => [event, [{ type: "command", bash: `"${at.recorder}" ${agent} ${event}` }]]),
        ),
      });
    case "opencode":
      return write(join(at.home, ".config/opencode/plugin/refloat.js"), opencodePlugin(at.recorder));
    case "pi":
      return write(join(at.home, ".pi/agent/extensions/refloat.ts"), piExtension(at.recorder));
  }
}

/** What must stand on its command line so that hooks nobody has trusted yet are called. */
export const hookFlags = (agent: HookedAgent): readonly string[] =>
  agent === "codex" ? ["--dangerously-bypass-hook-trust"] : [];
