/** A commit's message from what the session was about: its operation, its goal, else the files. Pure. */
import { type PathName, pathForDisplay } from "../../model/path-name.ts";

export interface MessageFacts {
  /** Labels of ended operations the committed changes belong to. */
  readonly operations: readonly string[];
  readonly goal: string | null;
  readonly paths: readonly PathName[];
}

/** What git's own views show of a first line. */
const SUBJECT_CHARS = 72;
const MAX_LISTED = 20;

export function commitMessage({ operations, goal, paths }: MessageFacts): string {
  const names = paths.map(pathForDisplay).map(plain).sort();
  const [operation] = operations;
  const what =
    operations.length === 1 && operation !== undefined ? operation : (firstLine(goal) ?? filesText(names));
  const listed = names.slice(0, MAX_LISTED).map((name) => `- ${name}`);
  const more = names.length - listed.length;
  const rest = more > 0 ? [`- and ${more} more`] : [];
  const body = names.length > 1 || what !== filesText(names) ? ["", ...listed, ...rest] : [];
  return `${[cut(plain(what)), ...body].join("\n")}\n`;
}

function firstLine(text: string | null): string | null {
  const line = text?.split("\n").find((one) => one.trim() !== "");
  return line === undefined ? null : line.trim();
}

function filesText(names: readonly string[]): string {
  const [first = "nothing", second] = names;
  if (second === undefined) return `Update ${first}`;
  return names.length === 2
    ? `Update ${first} and ${second}`
    : `Update ${first} and ${names.length - 1} more`;
}

/** A message is text of its own: control characters of a name or a goal are no part of it (T3). */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= SUBJECT_CHARS
    ? text
    : `${characters
        .slice(0, SUBJECT_CHARS - 1)
        .join("")
        .trimEnd()}…`;
}
