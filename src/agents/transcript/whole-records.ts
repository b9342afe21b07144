/**
 * The whole records of a line that is none itself: a record with the next one written right behind it, a fragment with one behind it, what
 * stands around a hole of NULs. Found by their braces, byte by byte, so that they can be copied as they stand; nothing whole is passed over
 * for what is broken beside it.
 */
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { heardJson } from "../words/heard-json.ts";

export interface WholeRecord {
  readonly object: JsonObject;
  /** As they stand in the file. */
  readonly bytes: Buffer;
}

/**
 * Whether the agent could have written this as a line. Asked of what stands behind a fragment: what is nested in that is whole, too, and no
 * record. What begins where a record must begin is one, of whatever type.
 */
export type IsRecord = (object: JsonObject) => boolean;

const [NUL, QUOTE, BACKSLASH] = [0x00, 0x22, 0x5c];
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d];

/** A line is walked over so often at most, looking for beginnings: as deep as records are nested, and hostile nesting ends there. */
const WALKS = 64;

export function wholeRecords(line: Buffer, isRecord: IsRecord): readonly WholeRecord[] {
  const steps = { left: WALKS * line.length };
  const found: WholeRecord[] = [];
  for (let from = 0; from < line.length; ) {
    const nul = line.indexOf(NUL, from);
    const to = nul < 0 ? line.length : nul;
    if (to > from) found.push(...inStretch(line, from, to, { isRecord, steps }));
    from = to + 1;
  }
  return found;
}

interface Search {
  readonly isRecord: IsRecord;
  readonly steps: { left: number };
}

/** Bytes without a NUL. */
function inStretch(line: Buffer, from: number, to: number, search: Search): readonly WholeRecord[] {
  const stretch = line.subarray(from, to);
  const found: WholeRecord[] = [];
  for (let at = behindBlank(stretch, 0); at < stretch.length; ) {
    const one = objectAt(stretch, at, search.steps);
    const end = one === null ? -1 : behindBlank(stretch, endOf(one, stretch));
    // At the line's beginning, behind a record, or all there is between a hole and the line's end.
    const isBegin = from === 0 || found.length > 0 || (to === line.length && end === stretch.length);
    const next = one !== null && isBegin ? one : nextRecord(stretch, at, search);
    if (next === null) break;
    found.push(next);
    at = behindBlank(stretch, endOf(next, stretch));
  }
  return found;
}

const endOf = ({ bytes }: WholeRecord, stretch: Buffer): number =>
  bytes.byteOffset - stretch.byteOffset + bytes.length;

/** Behind a fragment: the next one that ends where a record may end, at the end or where another begins. */
function nextRecord(stretch: Buffer, from: number, { isRecord, steps }: Search): WholeRecord | null {
  for (let at = stretch.indexOf(BRACE, from); at >= 0; at = stretch.indexOf(BRACE, at + 1)) {
    if (!isBegin(stretch, at)) continue;
    const one = objectAt(stretch, at, steps);
    if (steps.left <= 0) return null;
    if (one === null || !isRecord(one.object)) continue;
    const end = behindBlank(stretch, endOf(one, stretch));
    if (end === stretch.length || isBegin(stretch, end)) return one;
  }
  return null;
}

/** `{"`: no agent writes a record otherwise, and inside a text the quote would be escaped. */
const isBegin = (stretch: Buffer, at: number): boolean => stretch[at] === BRACE && stretch[at + 1] === QUOTE;

const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0d, 0x0a]);

function behindBlank(stretch: Buffer, from: number): number {
  let at = from;
  while (BLANKS.has(stretch[at])) at++;
  return at;
}

function objectAt(stretch: Buffer, from: number, steps: Search["steps"]): WholeRecord | null {
  const end = stretch[from] === BRACE ? objectEnd(stretch, from, steps) : -1;
  if (end < 0) return null;
  const bytes = stretch.subarray(from, end);
  const object = heardJson(bytes.toString("utf8"));
  return isJsonObject(object) ? { object, bytes } : null;
}

/** Behind the brace that closes the one at `from`; -1: none does. */
function objectEnd(stretch: Buffer, from: number, steps: Search["steps"]): number {
  let depth = 0;
  let isText = false;
  const most = Math.min(stretch.length, from + Math.max(0, steps.left));
  for (let at = from; at < most; at++) {
    const byte = stretch[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === BRACE || byte === BRACKET) depth++;
    else if (byte === BRACE_END || byte === BRACKET_END) {
      depth--;
      if (depth === 0) {
        steps.left -= at + 1 - from;
        return at + 1;
      }
    }
  }
  steps.left -= most - from;
  return -1;
}
