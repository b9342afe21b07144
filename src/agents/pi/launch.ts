/** Starting pi with an id of ours, going on with it by that id, and what its `--mode json` says as it goes. */
import type { JsonObject } from "../../model/json.ts";
import { type Agent, defaultLadder } from "../../supervise/agent.ts";
import { genericAgent } from "../../supervise/generic-agent.ts";
import type { AgentLaunch, ContinuedCommand, LineReader } from "../words/adapter.ts";
import {
  behindProgram,
  flagValue,
  hasFlag,
  nativeIdOf,
  programAt,
  withoutFlags,
} from "../words/command-line.ts";
import { contentText, objectAt, textAt } from "../words/fields.ts";
import { GO_ON } from "../words/go-on.ts";
import type { Heard } from "../words/heard.ts";
import { type PromptGrammar, withPrompt } from "../words/prompt.ts";
import { piCall, piTranscript } from "./transcript.ts";

const PROGRAM = {
  names: ["pi"],
  packages: ["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
};

/** The user chose the conversation, or wants none kept. */
const CHOSEN = ["--session-id", "--session", "--continue", "-c", "--resume", "-r", "--fork", "--no-session"];
/** A copy may be given its id, too (0.87.1). */
const CHOSEN_BESIDE_A_COPY = CHOSEN.filter((flag) => flag !== "--fork");
const CHOICES = {
  "--session-id": 1,
  "--session": 1,
  "--fork": 1,
  "--continue": 0,
  "-c": 0,
  "--resume": 0,
  "-r": 0,
} as const;

/** Without a prompt, what stands on its input is it. */
const NO_SCREEN = ["--print", "-p", "--mode"];

const MORE_SYSTEM = "--append-system-prompt";

/** It does something else than work on a prompt here. */
const COMMANDS: ReadonlySet<string> = new Set("install remove uninstall update list config auth".split(" "));

/** Flags that take a value (0.87.1): all other words that are no flag are the prompt. */
const GRAMMAR: PromptGrammar = {
  prompt: [],
  flags: Object.fromEntries(
    [
      ...["--provider", "--model", "--api-key", "--system-prompt", MORE_SYSTEM, "--mode", "--session"],
      ...["--session-id", "--fork", "--session-dir", "--name", "-n", "--models", "--tools", "-t"],
      ...["--exclude-tools", "-xt", "--thinking", "--extension", "-e", "--skill", "--prompt-template"],
      ...["--theme", "--use-theme", "--export", "--tui-mode"],
    ].map((flag) => [flag, 1 as const]),
  ),
};

const agent: Agent = {
  ...genericAgent("pi"),
  prepare(command, session) {
    const at = programAt(command, PROGRAM);
    const copied = at === -1 ? null : flagValue(command.slice(at), ["--fork"]);
    const copies = copied === null ? {} : { copies: { of: copied, isNamedInside: true } };
    if (at === -1 || hasFlag(command.slice(at), copied === null ? CHOSEN : CHOSEN_BESIDE_A_COPY)) {
      const chosen = flagValue(command, ["--session-id", "--session"]);
      return { command, env: {}, nativeId: chosen, ...copies };
    }
    const nativeId = nativeIdOf(session);
    const own = behindProgram(command, at, ["--session-id", nativeId]);
    return { command: own, env: {}, nativeId, ...copies };
  },
  stopLadder: defaultLadder,
};

export const piLaunch: AgentLaunch = {
  program: "pi",
  recognizes: (command) => programAt(command, PROGRAM) !== -1,
  agent: () => agent,
  stream: (command) => (flagValue(command, ["--mode"]) === "json" ? streamReader() : null),
  // Of a folder that is gone it goes on only in a fork, under a new id; with `--session` it asks, or refuses.
  resume: (nativeId, command, brief, around) =>
    continued(command, [around?.moved ? "--fork" : "--session", nativeId], brief, () => GO_ON),
  startWith: (command, brief) => continued(command, [], brief, (asked) => asked),
};

/** pi adds this text to its system prompt, behind what the user adds there: no word of the person's. Its screen is told to go on, too. */
function continued(
  command: readonly string[],
  added: readonly string[],
  brief: string,
  prompt: (asked: string) => string,
): ContinuedCommand | null {
  const at = programAt(command, PROGRAM);
  if (at === -1 || COMMANDS.has(command[at + 1] ?? "")) return null;
  const words = withoutFlags(command.slice(at + 1), CHOICES);
  const put = withPrompt(words, GRAMMAR, prompt) ?? [...words, ...(hasFlag(words, NO_SCREEN) ? [] : [GO_ON])];
  const given = [...added, MORE_SYSTEM, brief.trimEnd()];
  return {
    command: behindProgram([...command.slice(0, at + 1), ...put], at, given),
    brief: "system-prompt-flag",
  };
}

/** What is whole comes in other lines: these repeat it, or are the output of a tool as it grows. */
const SILENT: ReadonlySet<string> = new Set([
  ...["agent_start", "agent_end", "turn_start", "turn_end", "message_start", "tool_execution_update"],
]);

/** The stream has the records of the transcript as they end, without their ids, and the text as it grows before. */
function streamReader(): LineReader {
  const records = piTranscript.reader();
  return {
    silent: SILENT,
    links: () => null,
    read(line) {
      switch (line.type) {
        case "session":
          return records.read(line);
        case "message_update":
          return growing(line);
        case "message_end":
          return [{ kind: "delta-over", id: ANSWER, at: null }];
        case "tool_execution_start":
          return [piCall({ id: line.toolCallId, name: line.toolName, arguments: line.args }, null)];
        case "tool_execution_end":
          return [executed(line)];
        case "agent_settled":
          return [{ kind: "ended", at: null }];
        default:
          return [];
      }
    },
  };
}

/** One answer grows at a time. The provider's own id of it may come with its end alone, and would tell the end apart from what ended. */
const ANSWER = "answer";

function growing(line: JsonObject): readonly Heard[] {
  const event = objectAt(line, "assistantMessageEvent");
  const text = event?.type === "text_delta" ? textAt(event, "delta") : null;
  return text === null ? [] : [{ kind: "delta", id: ANSWER, text, at: null }];
}

const executed = (line: JsonObject): Heard => ({
  kind: "result",
  call: textAt(line, "toolCallId") ?? "",
  status: line.isError === true ? "failed" : "done",
  origin: "real",
  output: contentText(objectAt(line, "result")?.content),
  at: null,
  edits: [],
});
