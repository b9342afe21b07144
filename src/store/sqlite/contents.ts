/** Contents: chunk rows addressed by SHA-256, and the contents made of them (D1: put before the record that names them). */
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash } from "../../model/ids.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import type { Chunk, ContentRow } from "../contract/driver.ts";
import { isWholeSeal, SEAL_MAGIC, sealedBy } from "../contract/seal.ts";
import type { Connection } from "./connection.ts";
import { blobToHash, chunksToBlob, hashToBlob, toContent } from "./rows.ts";

/** One short transaction: other writers wait for a megabyte at most. E_NO_CONTENT when a chunk of `content` is not there. */
export function putChunks(
  db: Connection,
  chunks: readonly Chunk[],
  content: ContentRow | null,
  nowMs: number,
): void {
  db.transaction(() => {
    for (const chunk of chunks) putChunkRow(db, chunk, nowMs);
    if (content) putContentRow(db, content, nowMs);
  });
}

/** Many small contents, in the transaction of the caller. */
export function putWhole(db: Connection, contents: readonly Chunk[], nowMs: number): void {
  for (const content of contents) {
    const isEmpty = content.bytes.byteLength === 0;
    if (!isEmpty) putChunkRow(db, content, nowMs);
    const { hash, bytes } = content;
    putContentRow(db, { hash, bytes: bytes.byteLength, chunks: isEmpty ? [] : [hash] }, nowMs);
  }
}

function putChunkRow(db: Connection, chunk: Chunk, nowMs: number): void {
  if (staysSealed(db, chunk)) {
    db.run("UPDATE chunks SET put_at_ms = max(put_at_ms, ?) WHERE hash = ?", nowMs, hashToBlob(chunk.hash));
    return;
  }
  // A second put renews the grace period, so that gc leaves it to whoever is about to name it, and the bytes, in
  // case those that lie there were damaged since: what is acknowledged now is on disk (D1). SQLite writes only pages that differ.
  db.run(
    "INSERT INTO chunks (hash, bytes, put_at_ms) VALUES (?, ?, ?) ON CONFLICT (hash) DO UPDATE SET put_at_ms = max(put_at_ms, excluded.put_at_ms), bytes = excluded.bytes",
    hashToBlob(chunk.hash),
    chunk.bytes,
    nowMs,
  );
  crashPoint("content.after-chunk");
}

/**
 * Nobody lays open bytes over whole sealed ones: a process that was not told of the key would undo a rekey. Nor a seal of the same
 * key, which is other bytes every time, and written for nothing.
 */
function staysSealed(db: Connection, { hash, bytes }: Chunk): boolean {
  const blob = hashToBlob(hash);
  const row = db.get(
    "SELECT bytes FROM chunks WHERE hash = ? AND substr(bytes, 1, ?) = ?",
    ...[blob, SEAL_MAGIC.byteLength, SEAL_MAGIC],
  );
  const stored = row?.bytes as Uint8Array | undefined;
  if (!stored || !isWholeSeal(hash, stored)) return false;
  const by = sealedBy(hash, bytes);
  return by === null || by === sealedBy(hash, stored);
}

function putContentRow(db: Connection, content: ContentRow, nowMs: number): void {
  crashPoint("content.before-row");
  for (const chunk of content.chunks) {
    if (!hasChunk(db, chunk)) throw new RefloatError("E_NO_CONTENT", { hash: chunk });
    if (content.chunks.length > 1)
      db.run(
        "INSERT INTO pieces (chunk, content) VALUES (?, ?) ON CONFLICT DO NOTHING",
        hashToBlob(chunk),
        hashToBlob(content.hash),
      );
  }
  db.run(
    "INSERT INTO contents (hash, bytes, chunks, put_at_ms) VALUES (?, ?, ?, ?) ON CONFLICT (hash) DO UPDATE SET put_at_ms = max(put_at_ms, excluded.put_at_ms)",
    hashToBlob(content.hash),
    content.bytes,
    chunksToBlob(content.chunks),
    nowMs,
  );
}

export function hasChunk(db: Connection, hash: ContentHash): boolean {
  return db.get("SELECT n FROM chunks WHERE hash = ?", hashToBlob(hash)) !== null;
}

export function readContent(db: Connection, hash: ContentHash): ContentRow | null {
  const row = db.get("SELECT hash, bytes, chunks FROM contents WHERE hash = ?", hashToBlob(hash));
  return row ? toContent(row) : null;
}

export function readChunk(db: Connection, hash: ContentHash): Uint8Array | null {
  const row = db.get("SELECT bytes FROM chunks WHERE hash = ?", hashToBlob(hash));
  return row ? (row.bytes as Uint8Array) : null;
}

export function listChunks(db: Connection, after: ContentHash | null, limit: number): ContentHash[] {
  const from = after ? hashToBlob(after) : new Uint8Array(0);
  return db
    .all("SELECT hash FROM chunks WHERE hash > ? ORDER BY hash LIMIT ?", from, limit)
    .map((row) => blobToHash(row.hash ?? null));
}

/** What lay there is overwritten, not only let go. */
export function replaceChunk(db: Connection, { hash, bytes }: Chunk): void {
  db.exec("PRAGMA secure_delete = ON");
  try {
    db.transaction(() => db.run("UPDATE chunks SET bytes = ? WHERE hash = ?", bytes, hashToBlob(hash)));
  } finally {
    db.exec("PRAGMA secure_delete = FAST");
  }
}

export function listContents(db: Connection, after: ContentHash | null, limit: number): ContentRow[] {
  const from = after ? hashToBlob(after) : new Uint8Array(0);
  return db
    .all("SELECT hash, bytes, chunks FROM contents WHERE hash > ? ORDER BY hash LIMIT ?", from, limit)
    .map(toContent);
}

/** Removes a content and leaves its chunks loose. Inside the caller's transaction. */
export function dropContentRow(db: Connection, hash: ContentHash): void {
  db.run("DELETE FROM contents WHERE hash = ?", hashToBlob(hash));
  db.run("DELETE FROM pieces WHERE content = ?", hashToBlob(hash));
}

/** Of a row of `chunks`: no content is made of it. */
export const IS_LOOSE = `NOT EXISTS (SELECT 1 FROM contents WHERE contents.hash = chunks.hash)
  AND NOT EXISTS (SELECT 1 FROM pieces WHERE pieces.chunk = chunks.hash)`;

/** Drops this chunk if no content is made of it any more; returns its size, or 0. */
export function dropLooseChunk(db: Connection, hash: ContentHash): number {
  const row = db.get(
    `SELECT n, length(bytes) AS size FROM chunks WHERE hash = ? AND ${IS_LOOSE}`,
    hashToBlob(hash),
  );
  if (!row) return 0;
  db.run("DELETE FROM chunks WHERE n = ?", row.n ?? null);
  return Number(row.size);
}
