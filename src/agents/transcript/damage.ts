/**
 * What is wrong with a transcript, line by line (DESIGN 10's kinds), and what can still be read of a damaged line. Damage at the end is how
 * a death looks; damage in the middle is not, and is named with its place.
 */
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { parsedOrNull } from "../words/fields.ts";
import type { LineLinks } from "../words/heard.ts";
import type { LinePlace, SplitLine } from "./line-splitter.ts";

export type DamageKind = "torn" | "nul" | "glued" | "dangling-parent" | "duplicate" | "over-long" | "gap";

export interface TranscriptDamage {
  readonly kind: DamageKind;
  readonly at: LinePlace;
}

export interface ReadLine {
  /** The objects the line holds: one, none, or what could be told apart of a glued one. */
  readonly objects: readonly JsonObject[];
  readonly damage: DamageKind | null;
}

const NUL = 0;
const BLANK = /^\s*$/;

/** So many places in a line are tried as the beginning of a second record: each costs a parse of the rest. */
const GLUE_TRIES = 64;

export function readLine({ bytes, isEnded }: SplitLine): ReadLine {
  if (bytes === null) return { objects: [], damage: "over-long" };
  const text = bytes.toString("utf8");
  const value = parsedOrNull(text);
  // Whole, but the next record would be glued to it.
  if (isJsonObject(value)) return { objects: [value], damage: isEnded ? null : "torn" };
  if (BLANK.test(text)) return { objects: [], damage: isEnded ? null : "torn" };
  if (bytes.includes(NUL)) return { objects: behindNuls(text), damage: "nul" };
  const second = secondRecord(text);
  return second === null ? { objects: [], damage: "torn" } : { objects: second, damage: "glued" };
}

/** A record that was written behind a hole of NULs is whole. */
function behindNuls(text: string): readonly JsonObject[] {
  const value = parsedOrNull(text.slice(text.lastIndexOf("\u0000") + 1));
  return isJsonObject(value) ? [value] : [];
}

/** A fragment, or a record, with the next one written right behind it: only the outermost beginning makes a rest that parses. */
function secondRecord(text: string): readonly JsonObject[] | null {
  let at = text.indexOf('{"', 1);
  for (let tries = 0; at >= 0 && tries < GLUE_TRIES; tries++) {
    const rest = parsedOrNull(text.slice(at));
    if (isJsonObject(rest)) {
      const first = parsedOrNull(text.slice(0, at));
      return isJsonObject(first) ? [first, rest] : [rest];
    }
    at = text.indexOf('{"', at + 1);
  }
  return null;
}

/** Whether the records of a source hang together: each parent is there, none is doubled, no number is missing. */
export class LinkCheck {
  readonly #seen = new Set<string>();
  readonly #isWholeFile: boolean;
  #ordinal: number | null = null;

  /** `isWholeFile` false: reading began in the middle, and what came before is not known. */
  constructor({ isWholeFile }: { readonly isWholeFile: boolean }) {
    this.#isWholeFile = isWholeFile;
  }

  check(links: LineLinks): DamageKind | null {
    const { id, parent, ordinal, mayRepeat = false } = links;
    const isDangling =
      this.#isWholeFile && typeof parent === "string" && !this.#seen.has(parent) && parent !== id;
    const isDouble = id !== null && this.#seen.has(id) && !mayRepeat;
    const isGap = ordinal !== undefined && this.#ordinal !== null && ordinal > this.#ordinal + 1;
    if (id !== null) this.#seen.add(id);
    if (ordinal !== undefined) this.#ordinal = Math.max(ordinal, this.#ordinal ?? ordinal);
    if (isDouble) return "duplicate";
    if (isDangling) return "dangling-parent";
    return isGap ? "gap" : null;
  }
}
