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
import { objectAt, textAt } from "../words/fields.ts";
import type { Heard } from "../words/heard.ts";
import { piTranscript } from "./transcript.ts";

const PROGRAM = {
  names: ["pi"],
  packages: ["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
};

/** The user chose the conversation, or wants none kept. */
const CHOSEN = ["--session-id", "--session", "--continue", "-c", "--resume", "-r", "--fork", "--no-session"];
const CHOICES = {
  "--session-id": 1,
  "--session": 1,
  "--continue": 0,
  "-c": 0,
  "--resume": 0,
  "-r": 0,
} as const;

const agent: Agent = {
  ...genericAgent("pi"),
  prepare(command, session) {
    const at = programAt(command, PROGRAM);
    if (at === -1 || hasFlag(command.slice(at), CHOSEN)) {
      const chosen = flagValue(command, ["--session-id", "--session"]);
      return { command, env: {}, nativeId: chosen };
    }
    const nativeId = nativeIdOf(session);
    return { command: behindProgram(command, at, ["--session-id", nativeId]), env: {}, nativeId };
  },
  stopLadder: defaultLadder,
};

export const piLaunch: AgentLaunch = {
  recognizes: (command) => programAt(command, PROGRAM) !== -1,
  agent: () => agent,
  stream: (command) => (flagValue(command, ["--mode"]) === "json" ? streamReader() : null),
  resume: (nativeId, command, brief) => continued(command, ["--session", nativeId], brief),
  startWith: (command, brief) => continued(command, [], brief),
};

/** pi adds this text to its system prompt: no word of the user's. */
function continued(
  command: readonly string[],
  added: readonly string[],
  brief: string,
): ContinuedCommand | null {
  const at = programAt(command, PROGRAM);
  if (at === -1) return null;
  const rest = withoutFlags(command.slice(at + 1), CHOICES);
  return {
    command: behindProgram([...command.slice(0, at + 1), ...rest], at, [
      ...added,
      "--append-system-prompt",
      brief,
    ]),
    brief: "system-prompt-flag",
  };
}

/** The stream has the records of the transcript as they end, and the text as it grows before. */
function streamReader(): LineReader {
  const records = piTranscript.reader();
  return {
    links: () => null,
    read(line) {
      switch (line.type) {
        case "session":
          return records.read(line);
        case "message_update":
          return growing(line);
        case "agent_settled":
          return [{ kind: "ended", at: null }];
        default:
          return [];
      }
    },
  };
}

function growing(line: JsonObject): readonly Heard[] {
  const event = objectAt(line, "assistantMessageEvent");
  const text = event?.type === "text_delta" ? textAt(event, "delta") : null;
  const message = objectAt(line, "message");
  const id = textAt(message, "responseId") ?? "answer";
  return text === null ? [] : [{ kind: "delta", id, text, at: null }];
}
