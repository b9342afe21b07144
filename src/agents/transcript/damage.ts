/**
 * What is wrong with a transcript, line by line (DESIGN 10's kinds), and what can still be read of a damaged line. Damage at the end is how
 * a death looks; damage in the middle is not, and is named with its place.
 */
import { isJsonObject } from "../../model/json.ts";
import { TRANSCRIPT_DAMAGE_LISTED } from "../../model/limits.ts";

import type { LineLinks } from "../words/heard.ts";
import { heardJson } from "../words/heard-json.ts";
import type { LinePlace, SplitLine } from "./line-splitter.ts";
import { SeenIds } from "./seen-ids.ts";
import { type IsRecord, type WholeRecord, wholeRecords } from "./whole-records.ts";

export type DamageKind = "torn" | "nul" | "glued" | "dangling-parent" | "duplicate" | "over-long" | "gap";

export interface TranscriptDamage {
  readonly kind: DamageKind;
  readonly at: LinePlace;
}

export interface ReadLine {
  /** What the line holds: one record, none, or what could be told apart of a glued one. */
  readonly records: readonly WholeRecord[];
  readonly damage: DamageKind | null;
}

const NUL = 0;
const BLANK = /^\s*$/;

export function readLine({ bytes, isEnded }: SplitLine, isRecord: IsRecord = () => true): ReadLine {
  if (bytes === null) return { records: [], damage: "over-long" };
  const text = bytes.toString("utf8");
  const object = heardJson(text);
  // Without its line feed it is whole, but the next record would be glued to it.
  if (isJsonObject(object)) return { records: [{ object, bytes }], damage: isEnded ? null : "torn" };
  if (BLANK.test(text)) return { records: [], damage: isEnded ? null : "torn" };
  const records = wholeRecords(bytes, isRecord);
  if (bytes.includes(NUL)) return { records, damage: "nul" };
  return { records, damage: records.length === 0 ? "torn" : "glued" };
}

/** Whether the records of a source hang together: each parent is there, none is doubled, no number is missing. */
export class LinkCheck {
  readonly ids = new SeenIds();
  readonly #isWholeFile: boolean;
  #ordinal: number | null = null;
  #last: string | null = null;
  /** Parents that had not been seen when they were named: they may stand further down. */
  readonly #missing: { readonly parent: string; readonly at: LinePlace }[] = [];

  /** `isWholeFile` false: reading began in the middle, and what came before is not known. */
  constructor({ isWholeFile }: { readonly isWholeFile: boolean }) {
    this.#isWholeFile = isWholeFile;
  }

  check({ id, parent, ordinal, mayRepeat = false }: LineLinks, at: LinePlace): DamageKind | null {
    // Nearly every one hangs below the one before it.
    const isUnseen =
      typeof parent === "string" && parent !== id && parent !== this.#last && !this.ids.has(parent);
    if (isUnseen && this.#isWholeFile && this.#missing.length < TRANSCRIPT_DAMAGE_LISTED)
      this.#missing.push({ parent, at });
    const isDouble = id !== null && !this.ids.add(id) && !mayRepeat;
    const isGap = ordinal !== undefined && this.#ordinal !== null && ordinal > this.#ordinal + 1;
    this.#last = id ?? this.#last;
    if (ordinal !== undefined) this.#ordinal = Math.max(ordinal, this.#ordinal ?? ordinal);
    if (isDouble) return "duplicate";
    return isGap ? "gap" : null;
  }

  /** Once everything was read: the parents that are nowhere. None is named where ids were forgotten. */
  dangling(): readonly TranscriptDamage[] {
    if (this.ids.hasForgotten) return [];
    return this.#missing
      .filter(({ parent }) => !this.ids.has(parent))
      .map(({ at }) => ({ kind: "dangling-parent", at }));
  }
}
