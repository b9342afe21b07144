/** Going on with a session of Continue's by its id: a fork of it, under an id of its own. */
import { type Agent, defaultLadder } from "../../supervise/agent.ts";
import { genericAgent } from "../../supervise/generic-agent.ts";
import type { AgentLaunch, ContinuedCommand } from "../words/adapter.ts";
import {
  type FlagTakes,
  flagValue,
  hasFlag,
  plainWordsAt,
  programAt,
  withoutFlags,
} from "../words/command-line.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";

const PROGRAM = { names: ["cn"], packages: ["@continuedev/cli"] };

/** Flags that take a value (1.5.47); `-p` takes none. */
const FLAGS: Readonly<Record<string, FlagTakes>> = Object.fromEntries(
  [
    ...["--config", "--org", "--rule", "--mcp", "--model", "--prompt", "--allow", "--ask", "--exclude"],
    ...["--agent", "--format", "--fork"],
  ].map((flag) => [flag, 1]),
);
/** What chose the session, and what was added to its first prompt. */
const NOT_AGAIN = { "--resume": 0, "--fork": 1, "--prompt": 1 } as const;

/** It does something else than work on a prompt. */
const OTHER_COMMANDS: ReadonlySet<string> = new Set([
  ...["ls", "checks", "review", "login", "logout", "serve", "remote", "remote-test", "help"],
]);

interface Asked {
  readonly at: number;
  /** What stands behind the program, without the prompt. */
  readonly words: readonly string[];
  readonly prompt: string | null;
}

/** Null: the command asks Continue for no work. */
function askedOf(command: readonly string[]): Asked | null {
  const at = programAt(command, PROGRAM);
  const words = command.slice(at + 1);
  if (at === -1 || hasFlag(words, ["-h", "--help", "-v", "--version"])) return null;
  const [promptAt] = plainWordsAt(words, FLAGS);
  const prompt = promptAt === undefined ? null : (words[promptAt] ?? null);
  if (prompt !== null && OTHER_COMMANDS.has(prompt)) return null;
  return { at, words: words.filter((word, one) => one !== promptAt && word !== "--"), prompt };
}

const ID = /^[0-9a-f-]{36}$/;

const agent: Agent = {
  ...genericAgent("continue"),
  prepare(command) {
    const copied = flagValue(command, ["--fork"]);
    return {
      ...{ command, env: {}, nativeId: null },
      ...(copied === null ? {} : { copies: { of: copied, isNamedInside: false } }),
    };
  },
  stopLadder: defaultLadder,
};

export const continueLaunch: AgentLaunch = {
  program: "cn",
  recognizes: (command) => programAt(command, PROGRAM) !== -1,
  agent: () => agent,
  // `--format json` is one object at the end: the answer, and no word of what was done for it.
  stream: () => null,
  resume(nativeId, command, brief) {
    const asked = askedOf(command);
    if (asked === null || !ID.test(nativeId)) return null;
    return started(command, asked, ["--fork", nativeId], briefBefore(brief, GO_ON));
  },
  startWith(command, brief) {
    const asked = askedOf(command);
    if (asked === null) return null;
    return started(command, asked, [], briefBefore(brief, asked.prompt ?? GO_ON));
  },
};

/** `--rule` reaches the model, too, but twice in one request (1.5.47): the prompt is told once. */
function started(
  command: readonly string[],
  { at, words }: Asked,
  chosen: readonly string[],
  prompt: string,
): ContinuedCommand {
  const kept = withoutFlags(words, chosen.length === 0 ? { "--resume": 0, "--fork": 1 } : NOT_AGAIN);
  return { command: [...command.slice(0, at + 1), ...kept, ...chosen, prompt], brief: "before-prompt" };
}
