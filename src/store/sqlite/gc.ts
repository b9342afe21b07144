/**
 * `gc`: what nobody names any more goes. Looked for without the write lock, page by page in the order of hashes, and looked at again under it,
 * a few at a time: how long others wait does not depend on how much the store holds. Nothing is looked at twice: what
 * becomes unnamed behind the cursor has its turn the next time.
 */
import type { ContentHash } from "../../model/ids.ts";
import type { GcResult } from "../contract/driver.ts";
import type { Connection } from "./connection.ts";
import { dropContentRow, IS_LOOSE } from "./contents.ts";
import { blobToHash, hashToBlob } from "./rows.ts";

/** Looked at in one go, in an index alone: a few milliseconds, in which nobody is held up. */
const LOOKED_AT_PER_STEP = 2000;
/** Contents dropped in one transaction ... */
const CONTENTS_PER_STEP = 500;
/** ... and chunks: at 1 MiB each, other writers wait a few milliseconds. */
export const CHUNKS_PER_STEP = 32;

export type UnnamedKind = "contents" | "chunks";

export interface GcPage {
  readonly found: readonly ContentHash[];
  /** The last one that was looked at; null: there are no more. */
  readonly last: ContentHash | null;
}

/** The index of hashes is all that is read of what stays: `put_at_ms` lies behind the bytes. */
const IS_GOING: Readonly<Record<UnnamedKind, string>> = {
  contents:
    "CASE WHEN EXISTS (SELECT 1 FROM refs WHERE refs.hash = contents.hash) THEN 0 ELSE put_at_ms < ? END",
  chunks: `CASE WHEN ${IS_LOOSE} THEN put_at_ms < ? ELSE 0 END`,
};

/** What may go of the next page. Reads only, under no lock. */
export function gcPage(
  db: Connection,
  what: UnnamedKind,
  after: ContentHash | null,
  beforeMs: number,
): GcPage {
  const from = after ? hashToBlob(after) : new Uint8Array(0);
  const last = db.get(
    `SELECT max(hash) AS last FROM (SELECT hash FROM ${what} WHERE hash > ? ORDER BY hash LIMIT ${LOOKED_AT_PER_STEP})`,
    from,
  )?.last;
  if (!last) return { found: [], last: null };
  const found = db.all(
    `SELECT hash FROM ${what} WHERE hash > ? AND hash <= ? AND ${IS_GOING[what]} ORDER BY hash`,
    from,
    last,
    beforeMs,
  );
  return { found: found.map(({ hash }) => blobToHash(hash ?? null)), last: blobToHash(last) };
}

/** So many of what was found go in one transaction. */
export const perStep = (what: UnnamedKind): number =>
  what === "contents" ? CONTENTS_PER_STEP : CHUNKS_PER_STEP;

/** One bounded transaction: of these, those that are still to go. Somebody may have named or put one again since it was found. */
export function gcStep(
  db: Connection,
  what: UnnamedKind,
  found: readonly ContentHash[],
  beforeMs: number,
): GcResult {
  return db.transaction(() => {
    const total = { contents: 0, bytes: 0 };
    for (const hash of found) {
      const blob = hashToBlob(hash);
      const size = what === "contents" ? "0" : "length(bytes)";
      const row = db.get(
        `SELECT n, ${size} AS size FROM ${what} WHERE hash = ? AND ${IS_GOING[what]}`,
        blob,
        beforeMs,
      );
      if (!row) continue;
      if (what === "chunks") db.run("DELETE FROM chunks WHERE n = ?", row.n ?? null);
      else {
        dropContentRow(db, hash);
        total.contents++;
      }
      total.bytes += Number(row.size);
    }
    return total;
  });
}

const GOING = `SELECT hash FROM contents WHERE ${IS_GOING.contents}`;

/** What the steps of gc would drop in all. Reads only. */
export function unnamed(db: Connection, beforeMs: number): GcResult {
  const contents = db.number(`SELECT count(*) FROM (${GOING})`, beforeMs);
  const bytes = db.number(
    `WITH going AS MATERIALIZED (${GOING}) SELECT coalesce(sum(length(bytes)), 0) FROM chunks
      WHERE CASE WHEN NOT EXISTS (SELECT 1 FROM contents WHERE contents.hash = chunks.hash AND contents.hash NOT IN (SELECT hash FROM going))
        AND NOT EXISTS (SELECT 1 FROM pieces WHERE pieces.chunk = chunks.hash AND pieces.content NOT IN (SELECT hash FROM going))
      THEN put_at_ms < ? ELSE 0 END`,
    beforeMs,
    beforeMs,
  );
  return { contents, bytes };
}
