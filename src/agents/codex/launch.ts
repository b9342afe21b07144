/** Going on with a Codex thread by its id, in its own window or in `exec`. Its ids are its own: none can be chosen. */
import { type Agent, defaultLadder } from "../../supervise/agent.ts";
import { genericAgent } from "../../supervise/generic-agent.ts";
import { LimitReader } from "../../supervise/limit-reader.ts";
import type { AgentLaunch, ContinuedCommand } from "../words/adapter.ts";
import { hasFlag, plainWordsAt, programAt } from "../words/command-line.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import { FLAGS, isCodexServer, PROGRAM } from "./command-words.ts";
import { codexStream, LIMIT_WORDS } from "./stream.ts";

/** It does something else than work on a prompt. */
const OTHER_COMMANDS: ReadonlySet<string> = new Set([
  ...["agents", "a", "app-server", "apply", "archive", "cloud", "completion", "debug", "delete", "doctor"],
  ...["exec-server", "features", "help", "login", "logout", "mcp", "mcp-server", "migrate-nfs-db", "plugin"],
  ...["migrate-rollouts", "queue", "remote-control", "review", "sandbox", "unarchive", "update"],
]);
const NO_WORK = ["-h", "--help", "-V", "--version"];

/** What chose the thread, and what belongs to the first prompt alone: its images, a worktree made for it. */
const NOT_AGAIN: ReadonlySet<string> = new Set([
  ...["--last", "--all", "--include-non-interactive", "--worktree"],
]);
const IMAGES = /^(?:-i|--image)(?:=|$)/;

interface Asked {
  /** Where the program stands. */
  readonly at: number;
  readonly isExec: boolean;
  /** The user's flags, and `exec`, in their order. */
  readonly flags: readonly string[];
  /** The thread the user named. */
  readonly nativeId: string | null;
  readonly prompt: string | null;
}

/** Null: the command asks Codex for no work. */
function askedOf(command: readonly string[]): Asked | null {
  const at = programAt(command, PROGRAM);
  const words = command.slice(at + 1);
  if (at === -1 || hasFlag(words, NO_WORK)) return null;
  const plainAt = plainWordsAt(words, FLAGS);
  const plain = plainAt.map((one) => words[one] ?? "");
  const isExec = plain[0] === "exec" || plain[0] === "e";
  const [first = "", ...others] = isExec ? plain.slice(1) : plain;
  if (isExec ? first === "review" || first === "help" : OTHER_COMMANDS.has(first)) return null;
  const isChosen = first === "resume" || first === "fork";
  const isNamed = isChosen && !words.includes("--last");
  const prompt = isChosen ? others[isNamed ? 1 : 0] : plain[isExec ? 1 : 0];
  return {
    at,
    isExec,
    flags: flagsOf(words, new Set(isExec ? plainAt.slice(1) : plainAt)),
    nativeId: isNamed ? (others[0] ?? null) : null,
    prompt: prompt ?? null,
  };
}

function flagsOf(words: readonly string[], plainAt: ReadonlySet<number>): readonly string[] {
  let isImage = false;
  return words.filter((word, at) => {
    isImage = IMAGES.test(word) || (isImage && !word.startsWith("-"));
    return !isImage && !plainAt.has(at) && word !== "--" && !NOT_AGAIN.has(word);
  });
}

/** A thread of this id, as `resume` takes it; names are only the user's. */
const THREAD = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const agent: Agent = {
  ...genericAgent("codex"),
  limit: { reader: () => new LimitReader(LIMIT_WORDS), code: null },
  prepare(command) {
    const chosen = askedOf(command)?.nativeId ?? "";
    return { command, env: {}, nativeId: THREAD.test(chosen) ? chosen : null };
  },
  // SIGINT first: only then it writes down that the turn was cut off; at SIGTERM it is gone at once.
  stopLadder: defaultLadder,
};

export const codexLaunch: AgentLaunch = {
  program: "codex",
  recognizes: (command) => programAt(command, PROGRAM) !== -1,
  agent: () => agent,
  stream(command) {
    const isJson = hasFlag(command, ["--json", "--experimental-json"]);
    return isJson && askedOf(command)?.isExec === true ? codexStream : null;
  },
  resume(nativeId, command, brief) {
    const asked = askedOf(command);
    // A thread that was to be kept nowhere is nowhere.
    if (asked === null || asked.flags.includes("--ephemeral") || !THREAD.test(nativeId)) return null;
    return started(command, asked, ["resume", nativeId], briefBefore(brief, GO_ON));
  },
  startWith(command, brief) {
    const asked = askedOf(command);
    // "-": the prompt is what stands on its input, and without one `exec` reads it there.
    const isOnInput = asked?.prompt === "-" || (asked?.isExec === true && asked.prompt === null);
    if (asked === null || isOnInput) return null;
    return started(command, asked, [], briefBefore(brief, asked.prompt ?? GO_ON));
  },
  resumesChild: { tool: "resume_agent", field: "id" },
  serves: isCodexServer,
};

/**
 * `resume` takes the flags before it, and in `exec` most of them only there. Codex gives no instructions of a flag's
 * (`-c developer_instructions`) to a thread that goes on: only the prompt reaches the model.
 */
const started = (
  command: readonly string[],
  { at, flags }: Asked,
  chosen: readonly string[],
  prompt: string,
): ContinuedCommand => ({
  command: [...command.slice(0, at + 1), ...flags, ...chosen, prompt],
  brief: "before-prompt",
});
