/** Starting Copilot CLI with an id of ours, going on with it by that id, and what its `--output-format json` says as it goes. */
import type { JsonObject } from "../../model/json.ts";
import { type Agent, defaultLadder } from "../../supervise/agent.ts";
import { genericAgent } from "../../supervise/generic-agent.ts";
import type { AgentLaunch, LineReader } from "../words/adapter.ts";
import {
  behindProgram,
  type FlagTakes,
  flagValue,
  hasFlag,
  namedConversation,
  nativeIdOf,
  plainWordsAt,
  programAt,
  withoutFlags,
} from "../words/command-line.ts";
import { objectAt, textAt, timeOf } from "../words/fields.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import type { Heard } from "../words/heard.ts";
import { withPrompt } from "../words/prompt.ts";
import { CopilotReader } from "./transcript.ts";

const PROGRAM = { names: ["copilot"], packages: ["@github/copilot"] };

/** How many values its flags take (1.0.102): by this its commands are told from them. */
const FLAGS: Readonly<Record<string, FlagTakes>> = {
  ...takes(1, ["--model", "--reasoning-effort", "--context", "--auto-tier", "--agent", "--name", "-n"]),
  ...takes(1, ["--session-id", "-C", "--log-dir", "--extension-sdk-path", "--log-level", "--stream"]),
  ...takes(1, ["--output-format", "--add-dir", "--attachment", "--disable-mcp-server", "--plugin-dir"]),
  ...takes(1, ["--add-github-mcp-toolset", "--add-github-mcp-tool", "--additional-mcp-config"]),
  ...takes(1, ["--mcp-github-auth", "--max-autopilot-continues", "--mode", "--environment-host"]),
  ...takes(1, ["--environment-compute-id", "--dynamic-retrieval", "--enable-mcp-server"]),
  ...takes(1, ["--max-ai-credits", "--usage-output-file"]),
  ...takes("maybe", ["--resume", "-r", "--connect", "--share", "--bash-env", "--mouse"]),
  ...takes("many", ["--allow-tool", "--deny-tool", "--available-tools", "--excluded-tools"]),
  ...takes("many", ["--secret-env-vars", "--allow-url", "--deny-url"]),
};

function takes(values: FlagTakes, flags: readonly string[]): Readonly<Record<string, FlagTakes>> {
  return Object.fromEntries(flags.map((flag) => [flag, values]));
}

const GRAMMAR = { flags: FLAGS, prompt: ["-p", "--prompt", "-i", "--interactive"] };
const ALL_FLAGS = { ...FLAGS, ...takes(1, GRAMMAR.prompt) };

/** It does something else than work on a prompt here. */
const ELSEWHERE = ["-h", "--help", "-v", "--version", "--acp", "--connect", "--environment-host"];

/** The user chose the conversation. */
const CHOSEN = ["--session-id", "--resume", "-r", "--continue"];
const CHOICES = { "--session-id": 1, "--resume": "maybe", "-r": "maybe", "--continue": 0 } as const;

/** What stands behind the program; null: the command asks Copilot CLI for no work here. */
function askedOf(
  command: readonly string[],
): { readonly at: number; readonly words: readonly string[] } | null {
  const at = programAt(command, PROGRAM);
  const words = command.slice(at + 1);
  // It takes no prompt without a flag: what stands alone is one of its commands.
  const isOther = hasFlag(words, ELSEWHERE) || plainWordsAt(words, ALL_FLAGS).length > 0;
  return at === -1 || isOther ? null : { at, words };
}

const agent: Agent = {
  ...genericAgent("copilot"),
  prepare(command, session) {
    const asked = askedOf(command);
    if (asked === null || hasFlag(asked.words, CHOSEN)) {
      const nativeId = namedConversation(command, { goesOn: ["--resume", "-r"] });
      return { command, env: {}, nativeId };
    }
    const nativeId = nativeIdOf(session);
    return { command: behindProgram(command, asked.at, ["--session-id", nativeId]), env: {}, nativeId };
  },
  stopLadder: defaultLadder,
};

export const copilotLaunch: AgentLaunch = {
  program: "copilot",
  recognizes: (command) => programAt(command, PROGRAM) !== -1,
  agent: () => agent,
  stream: (command) => (flagValue(command, ["--output-format"]) === "json" ? new CopilotStream() : null),
  resume(nativeId, command, brief) {
    const asked = askedOf(command);
    if (asked === null) return null;
    const words = withoutFlags(asked.words, CHOICES);
    const told = briefBefore(brief, GO_ON);
    const going = withPrompt(words, GRAMMAR, () => told) ?? ["-i", told, ...words];
    return {
      command: [...command.slice(0, asked.at + 1), `--resume=${nativeId}`, ...going],
      brief: "before-prompt",
    };
  },
  startWith(command, brief) {
    const asked = askedOf(command);
    if (asked === null) return null;
    const words = withoutFlags(asked.words, CHOICES);
    const going = withPrompt(words, GRAMMAR, (prompt) => briefBefore(brief, prompt)) ?? [
      ...["-i", briefBefore(brief, GO_ON)],
      ...words,
    ];
    return { command: [...command.slice(0, asked.at + 1), ...going], brief: "before-prompt" };
  },
};

/** The live output has the journal's events under the same ids, and the text as it grows before. */
class CopilotStream implements LineReader {
  readonly #records = new CopilotReader();

  links(): null {
    return null;
  }

  read(line: JsonObject): readonly Heard[] {
    switch (line.type) {
      case "assistant.message_delta":
        return growing(line);
      // Its last line; the turn's own end came before, if it came (L7).
      case "result":
        return [{ kind: "ended", at: timeOf(line.timestamp) }];
      default:
        return this.#records.read(line).filter(({ kind }) => kind !== "unknown");
    }
  }
}

/** A subagent's growing text is not the session's. */
function growing(line: JsonObject): readonly Heard[] {
  const data = objectAt(line, "data");
  const [id, text] = [textAt(data, "messageId"), textAt(data, "deltaContent")];
  const isChilds = typeof line.agentId === "string" || typeof data?.parentToolCallId === "string";
  return id === null || text === null || isChilds
    ? []
    : [{ kind: "delta", id, text, at: timeOf(line.timestamp) }];
}
