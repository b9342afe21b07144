/** A commit's message from what the session was about: its operation, its goal, else the files; and its trailer. Pure. */
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

/**
 * A trailer for commits, where the user asked for one (`commit.trailer`, DESIGN 7); none otherwise. `true` asks for the
 * session; a text is the trailer itself, with {session} and {agent} for those.
 */
type TrailerSetting = string | boolean;

interface TrailerFacts {
  /** Null: nobody began one. */
  readonly session: string | null;
  readonly agent: string | null;
}

const OWN = "Refloat-Session: {session}";
const TRAILER_LINE = /^[A-Za-z0-9][A-Za-z0-9-]*: \S/;

/** Null: none is asked for, or it would have to speak of a session there is not. */
export function trailerOf(
  setting: TrailerSetting | undefined,
  { session, agent }: TrailerFacts,
): string | null {
  if (setting === undefined || setting === false) return null;
  const text = setting === true ? OWN : setting;
  if (text.includes("{session}") && session === null) return null;
  // Names come from records: a line break in one would be a trailer nobody asked for (T3).
  const plain = (name: string): string => name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return text.replaceAll("{session}", plain(session ?? "")).replaceAll("{agent}", plain(agent ?? "unknown"));
}

/** At the end, in the block of trailers if there is one, and only once. */
export function withTrailer(message: string, trailer: string | null): string {
  if (trailer === null) return message;
  const lines = message.trimEnd().split("\n");
  const block = lines.slice(lines.lastIndexOf("") + 1);
  const hasBlock = lines.includes("") && block.every((line) => TRAILER_LINE.test(line));
  if (hasBlock && block.includes(trailer)) return message;
  return `${[...lines, ...(hasBlock ? [] : [""]), trailer].join("\n")}\n`;
}
