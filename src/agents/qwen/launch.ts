/**
 * Starting Qwen Code with an id of ours, going on with it by that id, and what `--output-format stream-json` says as it goes: Claude's
 * form, with the calls' ids as its files have them.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Agent } from "../../supervise/agent.ts";
import { genericAgent } from "../../supervise/generic-agent.ts";
import { callHeard } from "../gemini/content.ts";
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
import { contentText, inputOf, kindAt, objectAt, objectsAt, textAt } from "../words/fields.ts";
import { GO_ON } from "../words/go-on.ts";
import type { Heard } from "../words/heard.ts";
import { type PromptGrammar, withPrompt } from "../words/prompt.ts";
import { isMadeUp, toolKind } from "./transcript.ts";

const PROGRAM = { names: ["qwen"], packages: ["@qwen-code/qwen-code"] };

/** The user chose the conversation, or wants none. */
const CHOSEN = [
  "--session-id",
  "--resume",
  "-r",
  "--continue",
  "-c",
  "--acp",
  "--list-extensions",
  "-l",
  "--help",
  "-h",
  "--version",
  "-v",
];
const CHOICES = {
  "--session-id": 1,
  "--resume": "maybe",
  "-r": "maybe",
  "--continue": 0,
  "-c": 0,
  "--fork-session": 0,
} as const;
const COMMANDS = new Set([
  "auth",
  "board",
  "channel",
  "extensions",
  "hooks",
  "mcp",
  "review",
  "sandbox",
  "serve",
  "sessions",
  "update",
]);

/** Whoever asks for a form of output, or gives one of input, has no screen. */
const NO_SCREEN = ["--output-format", "-o", "--input-format", "--input-file"];

const MORE_SYSTEM = "--append-system-prompt";

const GRAMMAR: PromptGrammar = {
  prompt: ["-p", "--prompt", "-i", "--prompt-interactive"],
  flags: {
    "--telemetry-target": 1,
    "--telemetry-otlp-endpoint": 1,
    "--telemetry-otlp-protocol": 1,
    "--telemetry-outfile": 1,
    "--proxy": 1,
    "-m": 1,
    "--model": 1,
    "--fallback-model": "many",
    "--system-prompt": 1,
    [MORE_SYSTEM]: 1,
    "--output-style": 1,
    "--sandbox-image": 1,
    "--approval-mode": 1,
    "--channel": 1,
    "--allowed-mcp-server-names": "many",
    "--mcp-config": 1,
    "--allowed-tools": "many",
    "-e": "many",
    "--extensions": "many",
    "--include-directories": "many",
    "--add-dir": "many",
    "--openai-logging-dir": 1,
    "--openai-api-key": 1,
    "--openai-base-url": 1,
    "--input-format": 1,
    "-o": 1,
    "--output-format": 1,
    "--json-fd": 1,
    "--json-file": 1,
    "--json-schema": 1,
    "--input-file": 1,
    "-r": "maybe",
    "--resume": "maybe",
    "--session-id": 1,
    "--worktree": "maybe",
    "--max-session-turns": 1,
    "--max-wall-time": 1,
    "--max-tool-calls": 1,
    "--max-subagent-depth": 1,
    "--core-tools": "many",
    "--exclude-tools": "many",
    "--disabled-slash-commands": "many",
    "--auth-type": 1,
  },
};

const agent: Agent = {
  ...genericAgent("qwen"),
  prepare(command, session) {
    const at = programAt(command, PROGRAM);
    const words = command.slice(at + 1);
    if (at === -1 || hasFlag(words, CHOSEN) || COMMANDS.has(words[0] ?? ""))
      return { command, env: {}, nativeId: namedConversation(words, { goesOn: ["--resume", "-r"] }) };
    const nativeId = nativeIdOf(session);
    return { command: behindProgram(command, at, ["--session-id", nativeId]), env: {}, nativeId };
  },
};

export const qwenLaunch: AgentLaunch = {
  program: "qwen",
  recognizes: (command) => programAt(command, PROGRAM) !== -1,
  resumesChild: { tool: "send_message", field: "task_id" },
  agent: () => agent,
  stream: (command) =>
    flagValue(command, ["--output-format", "-o"]) === "stream-json" ? new QwenStream() : null,
  // It finds only what was begun in the same folder.
  resume: (nativeId, command, brief, around) =>
    around?.moved ? null : continued(command, ["--resume", nativeId], brief, () => GO_ON),
  startWith: (command, brief) => continued(command, [], brief, (prompt) => prompt),
};

/** The brief is added to the system prompt, behind what the user adds there: no word of the person's. */
function continued(
  command: readonly string[],
  added: readonly string[],
  brief: string,
  prompt: (was: string) => string,
): ContinuedCommand | null {
  const at = programAt(command, PROGRAM);
  if (at === -1 || COMMANDS.has(command[at + 1] ?? "")) return null;
  const all = command.slice(at + 1);
  const theirs = flagValue(all, [MORE_SYSTEM]);
  const words = withoutFlags(all, { ...CHOICES, [MORE_SYSTEM]: 1 });
  // Its own screen, without a prompt: one is put there, and the screen stays.
  const put = withPrompt(words, GRAMMAR, prompt) ?? [
    ...words,
    ...(hasFlag(words, NO_SCREEN) ? [] : ["-i", GO_ON]),
  ];
  const text = brief.trimEnd();
  const system = theirs === null ? text : `${theirs}\n\n${text}`;
  return {
    command: behindProgram([...command.slice(0, at + 1), ...put], at, [...added, MORE_SYSTEM, system]),
    brief: "system-prompt-flag",
  };
}

class QwenStream implements LineReader {
  /** The message whose text is being streamed, where the user asked for that (`--include-partial-messages`). */
  #growing: string | null = null;
  readonly #grown = new Set<string>();

  links(): null {
    return null;
  }

  read(line: JsonObject): readonly Heard[] {
    const child = textAt(line, "parent_tool_use_id");
    switch (line.type) {
      case "system":
        return line.subtype === "init" ? started(line) : [];
      case "stream_event":
        return child === null ? this.#grow(objectAt(line, "event")) : [];
      case "assistant":
        return this.#answered(objectAt(line, "message"), child);
      case "user":
        return objectsAt(objectAt(line, "message"), "content").flatMap(ended);
      case "result": {
        const isDone = line.subtype === "success" && line.is_error !== true;
        return [{ kind: "turn-ended", outcome: isDone ? "completed" : "failed", proof: "record", at: null }];
      }
      default:
        return [{ kind: "unknown", type: `stream ${kindAt(line)}` }];
    }
  }

  #grow(event: JsonObject | null): readonly Heard[] {
    if (event?.type === "message_start") this.#growing = textAt(objectAt(event, "message"), "id");
    const delta = event?.type === "content_block_delta" ? objectAt(event, "delta") : null;
    const text = delta?.type === "text_delta" ? textAt(delta, "text") : null;
    if (text === null) return [];
    const id = this.#growing ?? "answer";
    this.#grown.add(id);
    return [{ kind: "delta", id, text, at: null }];
  }

  /** Its files have this answer under another id. */
  #answered(message: JsonObject | null, child: string | null): readonly Heard[] {
    const id = textAt(message, "id") ?? "answer";
    const blocks = objectsAt(message, "content");
    const text = contentText(blocks.filter(({ type }) => type === "text"));
    const isNew = !this.#grown.delete(id);
    const said: readonly Heard[] =
      text === "" || child !== null
        ? []
        : [
            ...(isNew ? [{ kind: "delta" as const, id, text, at: null }] : []),
            { kind: "delta-over", id, at: null },
          ];
    return [...said, ...blocks.filter(({ type }) => type === "tool_use").flatMap((one) => begun(one, child))];
  }
}

function started(line: JsonObject): readonly Heard[] {
  const nativeId = textAt(line, "session_id");
  if (nativeId === null) return [];
  return [
    {
      kind: "session",
      nativeId,
      cwd: textAt(line, "cwd"),
      version: textAt(line, "qwen_code_version"),
      branch: null,
      model: textAt(line, "model"),
      at: null,
      parent: null,
    },
  ];
}

function begun(block: JsonObject, child: string | null): readonly Heard[] {
  const id = textAt(block, "id");
  const tool = textAt(block, "name") ?? "";
  if (id === null) return [];
  return [callHeard({ id, tool, does: toolKind(tool), input: inputOf(block.input), at: null, child })];
}

function ended(block: JsonObject): readonly Heard[] {
  const call = block.type === "tool_result" ? textAt(block, "tool_use_id") : null;
  if (call === null) return [];
  const output = contentText(block.content);
  const isSynthetic = block.is_error === true && isMadeUp(output);
  const failed = isSynthetic ? "cancelled" : "failed";
  return [
    {
      kind: "result",
      call,
      status: block.is_error === true ? failed : "done",
      origin: isSynthetic ? "synthetic" : "real",
      output,
      at: null,
      edits: [],
    },
  ];
}
