/**
 * The last-sequence mark (D7). SQLite cannot tell that somebody cut its log: it opens with fewer rows and
 * says "ok". So once a second while writing, at each checkpoint and at a clean close we note beside the store
 * how far the sessions written last have come. The note is replaced atomically but not synced: after a power
 * cut it may lag behind the store, it can never lead it, so a store that does not reach its mark has lost
 * something. Several processes add to one mark; where two do so at the same instant one may miss the other's.
 */
import { readFileSync } from "node:fs";
import { parsedOrNull } from "../../model/json.ts";
import { writeAtomic } from "../../platform/durable-file.ts";
import { markPath } from "../../platform/store-address.ts";

/** Sessions a mark speaks of: what many processes wrote last, in a file of a few kilobytes. */
const MAX_SESSIONS = 64;

export interface Mark {
  readonly store: string;
  /** Session id to sequence number, the one written last at the end. */
  readonly heads: ReadonlyMap<string, number>;
}

/** Null when there is none, or when it cannot be understood: a torn mark is no evidence of loss. */
export function readMark(dbPath: string): Mark | null {
  let text: string;
  try {
    text = readFileSync(markPath(dbPath), "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw thrown;
  }
  return asMark(parsedOrNull(text));
}

export function writeMark(dbPath: string, mark: Mark): void {
  const text = JSON.stringify({ store: mark.store, heads: [...mark.heads] });
  writeAtomic(markPath(dbPath), Buffer.from(`${text}\n`), { mode: 0o600 });
}

/** Adds to what others noted; of a store that has another id nothing is kept. */
export function addToMark(dbPath: string, mark: Mark): void {
  const old = readMark(dbPath);
  const heads = new Map(old?.store === mark.store ? old.heads : []);
  for (const [session, seq] of mark.heads) {
    const furthest = Math.max(seq, heads.get(session) ?? 0);
    heads.delete(session);
    heads.set(session, furthest);
  }
  writeMark(dbPath, { store: mark.store, heads: new Map([...heads].slice(-MAX_SESSIONS)) });
}

/** Of a session that is removed nothing is to be missed. */
export function dropFromMark(dbPath: string, session: string): void {
  const old = readMark(dbPath);
  if (!old?.heads.has(session)) return;
  const heads = new Map(old.heads);
  heads.delete(session);
  writeMark(dbPath, { ...old, heads });
}

function asMark(value: unknown): Mark | null {
  if (typeof value !== "object" || value === null) return null;
  const { store, heads } = value as { store?: unknown; heads?: unknown };
  if (typeof store !== "string" || !Array.isArray(heads)) return null;
  const isHead = (pair: unknown): pair is [string, number] =>
    Array.isArray(pair) && typeof pair[0] === "string" && Number.isSafeInteger(pair[1]);
  return heads.every(isHead) ? { store, heads: new Map(heads) } : null;
}
