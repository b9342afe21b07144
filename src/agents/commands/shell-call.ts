/** The shell command in a hook's payload, and where it is to run, in every spelling that agents have for it. Pure; the payload is untrusted. */
import { isJsonObject, type JsonObject } from "../../model/json.ts";

export interface ShellCall {
  readonly script: string;
  /** As the call names it; null: where the session is. */
  readonly folder: string | null;
}

const INPUTS = ["tool_input", "toolInput", "toolArgs", "tool_args", "args", "input"];
const COMMANDS = ["command", "cmd", "script"];
const FOLDERS = ["workdir", "cwd", "dir_path", "directory", "working_directory"];

/** Where our own plugins have put what OpenCode and pi say of the call. */
const WRAPPED = ["output", "event"];

/** Null: it is no call of a shell. */
export function shellCallOf(payload: JsonObject): ShellCall | null {
  for (const said of [payload, ...WRAPPED.map((key) => payload[key]).filter(isJsonObject)])
    for (const key of INPUTS) {
      const input = objectOf(said[key]);
      const script = input === null ? null : firstText(input, COMMANDS, scriptOf);
      if (input !== null && script !== null) return { script, folder: firstText(input, FOLDERS, textOf) };
    }
  return null;
}

/** Whose session it is, as the agent names it: a subagent's is its parent's. */
export const nativeIdOf = (payload: JsonObject): string | null =>
  firstText(payload, ["parentID", "session_id", "sessionId", "sessionID", "conversation_id"], textOf);

export const folderOf = (payload: JsonObject): string | null =>
  firstText(payload, ["cwd", "directory"], textOf);

/** Copilot writes the arguments as a text that is JSON. */
function objectOf(value: unknown): JsonObject | null {
  if (isJsonObject(value)) return value;
  if (typeof value !== "string") return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return isJsonObject(parsed) ? parsed : null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** A list is what a program is started with; behind `-c` stands what a shell would read. */
function scriptOf(value: unknown): string | null {
  if (!Array.isArray(value)) return textOf(value);
  const words = value.filter((word): word is string => typeof word === "string");
  const at = words.findIndex((word) => /^-[a-z]*c$/u.test(word));
  return at === -1 ? textOf(words.join(" ")) : textOf(words[at + 1]);
}

function firstText(
  from: JsonObject,
  keys: readonly string[],
  read: (value: unknown) => string | null,
): string | null {
  for (const key of keys) {
    const text = read(from[key]);
    if (text !== null) return text;
  }
  return null;
}
