/**
 * Text as it grows, a few words a line: such lines differ in nothing but those words. When two in a row were parsed and each was that and nothing
 * else, the next that begins and ends with the same bytes says the words between, and need not be parsed (P11). Told by bytes alone, for
 * whatever agent; a line of any other look is parsed, and so are the next ones.
 */
import type { Heard } from "../words/heard.ts";

type GrownText = Extract<Heard, { kind: "delta" }>;

interface Look {
  readonly before: Buffer;
  readonly behind: Buffer;
  readonly said: GrownText;
}

/** What stands in a JSON string as it is: no quote, no escape, no control, nothing that was no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a line with such characters is no JSON, and parsing says so.
const PLAIN = /^[^"\\\u0000-\u001f\ufffd]+$/;

export class AlikeLines {
  #last: Look | null = null;
  #isProved = false;

  /** After a line was parsed: what was heard in it. */
  learn(bytes: Buffer | null, heard: readonly Heard[]): void {
    const look = bytes === null ? null : lookOf(bytes, heard);
    this.#isProved = look !== null && this.#last !== null && isAlike(look, this.#last);
    this.#last = look;
  }

  /** What a line says that lies there whole; null: it has to be parsed. */
  read(piece: Buffer, from: number, to: number): GrownText | null {
    const look = this.#isProved ? this.#last : null;
    if (look === null) return null;
    const [begin, end] = [from + look.before.length, to - look.behind.length];
    if (end <= begin || piece.compare(look.before, 0, look.before.length, from, begin) !== 0) return null;
    if (piece.compare(look.behind, 0, look.behind.length, end, to) !== 0) return null;
    const text = piece.toString("utf8", begin, end);
    return PLAIN.test(text) ? { ...look.said, text } : null;
  }
}

/** Null: something else was heard, or its words stand there more than once, or not as they are. */
function lookOf(bytes: Buffer, heard: readonly Heard[]): Look | null {
  const [said, ...others] = heard;
  if (said?.kind !== "delta" || others.length > 0 || !PLAIN.test(said.text)) return null;
  const words = Buffer.from(`"${said.text}"`);
  const at = bytes.indexOf(words);
  if (at === -1 || bytes.indexOf(words, at + 1) !== -1) return null;
  const [before, behind] = [bytes.subarray(0, at + 1), bytes.subarray(at + words.length - 1)];
  // Copies: the line is the splitter's own memory.
  return { before: Buffer.from(before), behind: Buffer.from(behind), said };
}

/** Of two with the same words nobody knows whether these are what was heard. */
const isAlike = (a: Look, b: Look): boolean =>
  a.said.text !== b.said.text &&
  a.said.id === b.said.id &&
  a.said.at === b.said.at &&
  a.before.equals(b.before) &&
  a.behind.equals(b.behind);
