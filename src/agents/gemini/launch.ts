/**
 * Starting Gemini CLI with an id of ours, going on with it by that id, and what `--output-format stream-json` says as it goes. Here alone
 * calls are heard before they are over. It starts itself a second time unless told not to: then the process we started is not the
 * agent, and a signal to it leaves the agent working.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Agent } from "../../supervise/agent.ts";
import { genericAgent } from "../../supervise/generic-agent.ts";
import type { AgentLaunch, ContinuedCommand, LineReader } from "../words/adapter.ts";
import {
  behindProgram,
  flagValue,
  hasFlag,
  namedConversation,
  nativeIdOf,
  programAt,
  withoutFlags,
} from "../words/command-line.ts";
import { inputOf, kindAt, objectAt, textAt, timeOf } from "../words/fields.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import type { Heard, HeardAt } from "../words/heard.ts";
import { type PromptGrammar, withPrompt } from "../words/prompt.ts";
import { callOf, resultOf } from "./transcript.ts";

const PROGRAM = { names: ["gemini"], packages: ["@google/gemini-cli"] };

/** The user chose the conversation, or wants none. */
const CHOSEN = [
  "--session-id",
  "--resume",
  "-r",
  "--session-file",
  "--list-sessions",
  "--delete-session",
  "--list-extensions",
  "-l",
  "--acp",
  "--experimental-acp",
  "--help",
  "-h",
  "--version",
  "-v",
];
const CHOICES = { "--session-id": 1, "--resume": "maybe", "-r": "maybe", "--session-file": 1 } as const;
const COMMANDS = new Set(["mcp", "extensions", "extension", "skills", "skill", "hooks", "hook", "gemma"]);

const GRAMMAR: PromptGrammar = {
  prompt: ["-p", "--prompt", "-i", "--prompt-interactive"],
  flags: {
    "-m": 1,
    "--model": 1,
    "-w": "maybe",
    "--worktree": "maybe",
    "--approval-mode": 1,
    "--policy": "many",
    "--admin-policy": "many",
    "--allowed-mcp-server-names": "many",
    "--allowed-tools": "many",
    "-e": "many",
    "--extensions": "many",
    "-o": 1,
    "--output-format": 1,
    "--include-directories": "many",
    "--session-id": 1,
    "--session-file": 1,
    "-r": "maybe",
    "--resume": "maybe",
  },
};

const NO_SECOND_START = { GEMINI_CLI_NO_RELAUNCH: "true" };

const agent: Agent = {
  ...genericAgent("gemini"),
  prepare(command, session) {
    const at = programAt(command, PROGRAM);
    const words = command.slice(at + 1);
    if (at === -1 || hasFlag(words, CHOSEN) || COMMANDS.has(words[0] ?? "")) {
      const copied = flagValue(words, ["--session-file"]);
      return {
        ...{ command, env: NO_SECOND_START },
        nativeId: namedConversation(words, { goesOn: ["--resume", "-r"] }),
        ...(copied === null ? {} : { copies: { of: copied, isNamedInside: true } }),
      };
    }
    const nativeId = nativeIdOf(session);
    return {
      command: behindProgram(command, at, ["--session-id", nativeId]),
      env: NO_SECOND_START,
      nativeId,
    };
  },
};

export const geminiLaunch: AgentLaunch = {
  program: "gemini",
  recognizes: (command) => programAt(command, PROGRAM) !== -1,
  agent: () => agent,
  stream: (command) =>
    flagValue(command, ["--output-format", "-o"]) === "stream-json" ? new GeminiStream() : null,
  // By an id it finds only what was begun in the same folder; by its file a copy of it goes on, under a new id.
  resume: (nativeId, command, brief, around) =>
    toldIn(
      command,
      around?.moved ? ["--session-file", around.moved.transcript] : ["--resume", nativeId],
      () => briefBefore(brief, GO_ON),
    ),
  startWith: (command, brief) => toldIn(command, [], (prompt) => briefBefore(brief, prompt)),
};

/** Its own screen, without a prompt: one is put there, and the screen stays. Whoever asks for a form of output has no screen. */
function toldIn(...[command, added, prompt]: Parameters<typeof continued>): ContinuedCommand | null {
  const made = continued(command, added, prompt);
  if (made !== null || hasFlag(command, ["--output-format", "-o"])) return made;
  return continued([...command, "-i", GO_ON], added, prompt);
}

function continued(
  command: readonly string[],
  added: readonly string[],
  prompt: (was: string) => string,
): ContinuedCommand | null {
  const at = programAt(command, PROGRAM);
  if (at === -1 || COMMANDS.has(command[at + 1] ?? "")) return null;
  const words = withPrompt(withoutFlags(command.slice(at + 1), CHOICES), GRAMMAR, prompt);
  if (words === null) return null;
  return {
    command: behindProgram([...command.slice(0, at + 1), ...words], at, added),
    brief: "before-prompt",
  };
}

/** The stream names no message: what comes between two calls is one answer. */
class GeminiStream implements LineReader {
  #answers = 0;
  #isAnswering = false;

  links(): null {
    return null;
  }

  read(line: JsonObject): readonly Heard[] {
    const at = timeOf(line.timestamp);
    switch (line.type) {
      case "init":
        return started(line, at);
      case "message":
        return line.role === "assistant" ? this.#grown(textAt(line, "content"), at) : [];
      case "tool_use": {
        const id = textAt(line, "tool_id");
        const call = callOf(id ?? "", textAt(line, "tool_name") ?? "", inputOf(line.parameters), at, null);
        return [...this.#over(at), ...(id === null ? [] : [call])];
      }
      case "tool_result":
        return ended(line, at);
      case "result":
        return [
          ...this.#over(at),
          {
            kind: "turn-ended",
            outcome: line.status === "success" ? "completed" : "failed",
            proof: "record",
            at,
          },
        ];
      case "error":
        return [];
      default:
        return [{ kind: "unknown", type: `stream ${kindAt(line)}` }];
    }
  }

  #grown(text: string | null, at: HeardAt): readonly Heard[] {
    if (text === null) return [];
    if (!this.#isAnswering) this.#answers += 1;
    this.#isAnswering = true;
    return [{ kind: "delta", id: this.#id, text, at }];
  }

  #over(at: HeardAt): readonly Heard[] {
    if (!this.#isAnswering) return [];
    this.#isAnswering = false;
    return [{ kind: "delta-over", id: this.#id, at }];
  }

  get #id(): string {
    return `answer-${this.#answers}`;
  }
}

function started(line: JsonObject, at: HeardAt): readonly Heard[] {
  const nativeId = textAt(line, "session_id");
  if (nativeId === null) return [];
  const model = textAt(line, "model");
  return [{ kind: "session", nativeId, cwd: null, version: null, branch: null, model, at, parent: null }];
}

function ended(line: JsonObject, at: HeardAt): readonly Heard[] {
  const call = textAt(line, "tool_id");
  const output = textAt(line, "output") ?? textAt(objectAt(line, "error"), "message") ?? "";
  return call === null
    ? []
    : [resultOf({ call, status: textAt(line, "status") ?? "", output, at, edits: [] })];
}
