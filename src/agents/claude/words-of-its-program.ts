/**
 * What Claude Code's own program says in the place of a tool, of the person or of the model, as data with the version it was seen in:
 * these words change, and none of them proves anything of the workspace (T2).
 */
import type { JsonObject } from "../../model/json.ts";
import { objectAt, textAt } from "../words/fields.ts";

interface Sign {
  readonly begins: string;
  readonly seen: string;
}

/** In the place of a result the program never had. The last one is also written for a command that had run half-way when it was cut off. */
const SYNTHETIC_RESULTS: readonly Sign[] = [
  { begins: "[Tool call interrupted:", seen: "2.1.325" },
  { begins: "[Tool call did not complete:", seen: "2.1.325, in its program only" },
  { begins: "[Tool call skipped:", seen: "2.1.325, in its program only" },
  { begins: "[Tool call not completed:", seen: "2.1.325, in its program only" },
  { begins: "[Tool call result not in this copy:", seen: "2.1.325, in its program only" },
  { begins: "[Agent call interrupted:", seen: "2.1.325, in its program only" },
  { begins: "The user doesn't want to take this action right now.", seen: "2.1.325, in its program only" },
  { begins: "The user doesn't want to proceed with this tool use.", seen: "2.1.325" },
];

/** How newer versions say it beside the words. */
const SYNTHETIC_KINDS: ReadonlySet<string> = new Set(["interrupted", "user-rejected"]);

export function isSyntheticResult(line: JsonObject, output: string): boolean {
  return (
    line.toolUseResult === "User rejected tool use" ||
    SYNTHETIC_KINDS.has(textAt(line, "toolDenialKind") ?? "") ||
    SYNTHETIC_RESULTS.some(({ begins }) => output.startsWith(begins))
  );
}

/** The person stopped it (Esc, Ctrl-C, or a signal that its program takes for one). */
const STOPPED = "[Request interrupted by user";
export const saysStopped = (text: string): boolean => text.startsWith(STOPPED);

/** Records of the user's role that nobody typed, by how they begin. */
const NOT_TYPED =
  /^(?:\[Request interrupted|<(?:local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr)|task-notification|system-reminder|tick)>)/;

/** Who may have typed it, where a record says so; whatever else is named there is a program. */
const PEOPLE: ReadonlySet<string> = new Set(["human", "person", "composer", "remote", "voice-call"]);

export function isTyped(line: JsonObject, text: string): boolean {
  const origin = textAt(objectAt(line, "origin"), "kind");
  return line.isMeta !== true && (origin === null || PEOPLE.has(origin)) && !NOT_TYPED.test(text);
}

/** A command of the program itself ended with its words, and no model is asked about them: else the record says that a turn began. */
export const isLocalOutput = (line: JsonObject, text: string): boolean =>
  line.turnOrigin === undefined && /^<(?:local-command-(?:stdout|stderr)|bash-(?:stdout|stderr))>/.test(text);

const COMMAND = /<command-name>([^<]*)<\/command-name>/;
const ARGUMENTS = /<command-args>([\s\S]*?)<\/command-args>/;
const SHELL = /^<bash-input>([\s\S]*?)<\/bash-input>/;

/** A command of the person's as it was typed, out of the marks the program puts around its parts. */
export function typedText(text: string): string {
  const [, shell] = SHELL.exec(text) ?? [];
  if (shell !== undefined) return `! ${shell.trim()}`;
  if (!/^\s*<command-(?:name|message)>/.test(text)) return text;
  const [, name] = COMMAND.exec(text) ?? [];
  const [, args] = ARGUMENTS.exec(text) ?? [];
  return name === undefined
    ? text
    : [name, args?.trim()].filter((one) => one !== undefined && one !== "").join(" ");
}

/** The usage limit, with the time it ends where an older version wrote it behind the words ("...reached|1749924000"). */
export function limitResetMs(text: string): number | null {
  const [, seconds] = /\|(\d{10})\b/.exec(text) ?? [];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
