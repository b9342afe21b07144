/** A trailer for commits, where the user asked for one (`commit.trailer`, DESIGN 7); none otherwise. Pure. */

/** `true` asks for the session; a text is the trailer itself, with {session} and {agent} for those. */
export type TrailerSetting = string | boolean;

export interface TrailerFacts {
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
