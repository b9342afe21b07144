/** Starting Claude Code with an id of ours and going on with it by that id. */
import { type Agent, defaultLadder } from "../../supervise/agent.ts";
import { genericAgent } from "../../supervise/generic-agent.ts";
import type { AgentLaunch, BriefAround, ContinuedCommand } from "../words/adapter.ts";
import {
  behindProgram,
  type FlagTakes,
  flagValue,
  hasFlag,
  isSince,
  namedConversation,
  nativeIdOf,
  plainWordsAt,
  programAt,
  withoutFlags,
} from "../words/command-line.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import { ClaudeStream } from "./stream.ts";

const PROGRAM = { names: ["claude"], packages: ["@anthropic-ai/claude-code"] };

/** How many values its flags take (2.1.325): by this the prompt is told from them. */
const FLAGS: Readonly<Record<string, FlagTakes>> = {
  ...takes("many", ["--add-dir", "--allowedTools", "--allowed-tools", "--betas", "--disallowedTools"]),
  ...takes("many", ["--disallowed-tools", "--file", "--mcp-config", "--tools"]),
  ...takes(1, ["--agent", "--agents", "--append-system-prompt", "--append-system-prompt-file"]),
  ...takes(1, ["--autocompact", "--debug-file", "--effort", "--environment", "--fallback-model"]),
  ...takes(1, ["--input-format", "--json-schema", "--max-budget-usd", "--max-turns", "--model", "--name"]),
  ...takes(1, ["-n", "--output-format", "--permission-mode", "--permission-prompt-tool"]),
  ...takes(1, ["--permission-prompts", "--plugin-dir", "--plugin-url", "--session-id"]),
  ...takes(1, ["--remote-control-session-name-prefix", "--setting-sources", "--settings"]),
  ...takes(1, ["--system-prompt", "--system-prompt-file", "--system-prompt-snapshot"]),
  ...takes("maybe", ["--cloud", "--debug", "-d", "--from-pr", "--prompt-suggestions", "--remote-control"]),
  ...takes("maybe", ["--resume", "-r", "--teleport", "--worktree", "-w"]),
};

function takes(values: FlagTakes, flags: readonly string[]): Readonly<Record<string, FlagTakes>> {
  return Object.fromEntries(flags.map((flag) => [flag, values]));
}

/** It does something else than work on a prompt here. */
const COMMANDS: ReadonlySet<string> = new Set([
  ...["agents", "attach", "auth", "auto-mode", "config", "doctor", "gateway", "import", "install", "kill"],
  ...["logs", "mcp", "migrate-installer", "plugin", "plugins", "purge", "respawn", "rm", "setup-token"],
  ...["stop", "ultrareview", "update", "upgrade"],
]);
const ELSEWHERE = ["-h", "--help", "-v", "--version", "--cloud", "--teleport", "--environment", "--desktop"];

/** The user chose the conversation, or wants none kept. */
const CHOSEN = [
  "--session-id",
  "--resume",
  "-r",
  "--continue",
  "-c",
  "--from-pr",
  "--no-session-persistence",
];
const CHOICES = {
  "--session-id": 1,
  "--resume": "maybe",
  "-r": "maybe",
  "--continue": 0,
  "-c": 0,
  "--fork-session": 0,
  "--from-pr": "maybe",
  // Where it goes on is the folder it was in.
  "--worktree": "maybe",
  "-w": "maybe",
  "--tmux": 0,
} as const;

interface Asked {
  readonly at: number;
  /** What stands behind the program. */
  readonly words: readonly string[];
  readonly promptAt: number | null;
}

/** Null: the command asks Claude Code for no work here. */
function askedOf(command: readonly string[]): Asked | null {
  const at = programAt(command, PROGRAM);
  const words = command.slice(at + 1);
  if (at === -1 || hasFlag(words, ELSEWHERE)) return null;
  const [promptAt] = plainWordsAt(words, FLAGS);
  if (promptAt !== undefined && COMMANDS.has(words[promptAt] ?? "")) return null;
  return { at, words, promptAt: promptAt ?? null };
}

const agent: Agent = {
  ...genericAgent("claude"),
  prepare(command, session) {
    const asked = askedOf(command);
    if (asked === null || hasFlag(asked.words, CHOSEN)) {
      const goesOn = { goesOn: ["--resume", "-r"], copies: ["--fork-session"] };
      return { command, env: {}, nativeId: namedConversation(command, goesOn) };
    }
    const nativeId = nativeIdOf(session);
    return { command: behindProgram(command, asked.at, ["--session-id", nativeId]), env: {}, nativeId };
  },
  // Told by SIGINT it writes down that the person refused the tool and nothing was written, however far it had come; by SIGTERM it ends
  // the tool and writes down how that ended. So SIGTERM to itself comes first.
  stopLadder: (drainMs) => [
    { signal: "SIGTERM", to: "group", waitMs: drainMs, isCapturedBefore: false },
    ...defaultLadder(drainMs).slice(1),
  ],
};

export const claudeLaunch: AgentLaunch = {
  program: "claude",
  recognizes: (command) => programAt(command, PROGRAM) !== -1,
  resumesChild: { tool: "SendMessage", field: "to" },
  agent: () => agent,
  stream: (command) =>
    flagValue(command, ["--output-format"]) === "stream-json" ? new ClaudeStream() : null,
  resume(nativeId, command, brief, around) {
    const asked = askedOf(command);
    if (asked === null || !takesPrompt(asked.words)) return null;
    const words = withoutFlags(withoutPrompt(asked), CHOICES);
    const by = ["--resume", nativeId];
    if (canBeToldAnew(asked.words, around))
      return { command: toldAnew(command, asked, { by, words, brief }), brief: "system-prompt-flag" };
    const added = [...by, briefBefore(brief, GO_ON)];
    return { command: started(command, asked, added, words), brief: "before-prompt" };
  },
  startWith(command, brief) {
    const asked = askedOf(command);
    if (asked === null) return null;
    const prompt = asked.promptAt === null ? null : (asked.words[asked.promptAt] ?? null);
    if (prompt === null) return withSystemPrompt(command, asked, brief);
    const words = withoutFlags(withoutPrompt(asked), CHOICES);
    // First of all words: behind a flag that takes many values it would be one of them.
    return { command: started(command, asked, [briefBefore(brief, prompt)], words), brief: "before-prompt" };
  },
};

/** A conversation that nobody keeps has no way back, and one that is told in JSON on its input has no prompt in its command. */
const takesPrompt = (words: readonly string[]): boolean =>
  !hasFlag(words, ["--no-session-persistence"]) && flagValue(words, ["--input-format"]) !== "stream-json";

function withoutPrompt({ words, promptAt }: Asked): readonly string[] {
  const kept = words.filter((_word, at) => at !== promptAt);
  // What ended the flags ended them for the prompt.
  return kept.at(-1) === "--" ? kept.slice(0, -1) : kept;
}

const started = (
  command: readonly string[],
  { at }: Asked,
  added: readonly string[],
  words: readonly string[],
): readonly string[] => [...command.slice(0, at + 1), ...added, ...words];

const APPEND = "--append-system-prompt";
const SNAPSHOT = "--system-prompt-snapshot";

/**
 * It keeps a conversation's first system prompt and sends it again as it was, unless it is told not to: then what a flag adds to it is of
 * this start alone. What the user had added at its beginning would be lost with it, so only where all he typed is known.
 */
const canBeToldAnew = (words: readonly string[], around: BriefAround | undefined): boolean =>
  around?.hasAllFlags === true &&
  isSince(around.version, SNAPSHOT_SINCE) &&
  !hasFlag(words, [`${APPEND}-file`, ...BEGUN_BEFORE]);

/** The conversation is older than this command. */
const BEGUN_BEFORE = ["--resume", "-r", "--continue", "-c", "--from-pr"];

/** The oldest version in which it was seen. */
const SNAPSHOT_SINCE = [2, 1, 325] as const;

function toldAnew(
  command: readonly string[],
  asked: Asked,
  {
    by,
    words,
    brief,
  }: { readonly by: readonly string[]; readonly words: readonly string[]; readonly brief: string },
): readonly string[] {
  const { told, rest } = withOwnSystem(words, brief);
  return started(command, asked, [...by, GO_ON, APPEND, told, SNAPSHOT, "off"], rest);
}

/** Behind what the user adds to its system prompt himself. */
function withOwnSystem(
  words: readonly string[],
  brief: string,
): { readonly told: string; readonly rest: readonly string[] } {
  const own = flagValue(words, [APPEND]);
  const text = brief.trimEnd();
  return {
    told: own === null ? text : `${own}\n\n${text}`,
    rest: withoutFlags(words, { [APPEND]: 1, [SNAPSHOT]: 1 }),
  };
}

/** Nothing is asked yet: the brief goes where the first request will have it. */
function withSystemPrompt(command: readonly string[], asked: Asked, brief: string): ContinuedCommand {
  const { told, rest } = withOwnSystem(withoutFlags(asked.words, CHOICES), brief);
  return { command: started(command, asked, [APPEND, told], rest), brief: "system-prompt-flag" };
}
