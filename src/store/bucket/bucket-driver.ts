/**
 * A driver whose chunks lie in a bucket: its own table of chunks holds, instead of the bytes, the name of the object that has them. All else stays
 * where it was, so rows, references, gc and who may write are the database's as ever.
 *
 *  bucket 1  The object is durable before its row is written, and the row before a record may name it (D1).
 *  bucket 2  An object's name has the store's id, is made once and never used again. So one of this store that no row names, and that is older than a put takes, may be
 *            deleted. Whoever was stopped for longer in the middle of its put (a closed lid, SIGSTOP) looks for it once the row names it, and puts it again.
 *  bucket 3  What is read is the chunk of that hash, or an error: the caller hashes it (D5).
 *  bucket 4  A row with bytes is read as ever: a store can begin with a bucket, or end with one, at any time.
 *  bucket 5  Other bytes for a chunk are another object: that is put, then the row names it, then the one before goes. A kill leaves one that the row
 *            names, and maybe one that none does (bucket 2); who read the row before looks again.
 *  bucket 6  What is put again is there again: a row alone is no proof that its object is, which somebody's lifecycle rule took (D1).
 */
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { ContentHash, SessionId } from "../../model/ids.ts";
import { READ_PAGE_ROWS, UNNAMED_CONTENT_GRACE_MS } from "../../model/limits.ts";
import type { Clock } from "../../platform/clock.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import type {
  Chunk,
  ContentRow,
  DeleteChange,
  DeleteOutcome,
  Driver,
  ForgetChange,
  GcResult,
} from "../contract/driver.ts";
import { layeredDriver } from "../contract/layered-driver.ts";
import { asChunks, puttingFirst } from "../contract/putting-chunks.ts";
import type { Bucket, BucketObject } from "./bucket.ts";
import { folderOf, hashIn, keyOf, rowOf, type Stub, stubIn } from "./bucket-stub.ts";

/** Puts at a time: a server answers each after a moment, and many at once. */
const PUTS_AT_ONCE = 8;
/** From here on a put took so long that its object may have been swept before its row named it: well below the grace of those. */
const LONG_PUT_MS = UNNAMED_CONTENT_GRACE_MS / 4;
/** Names of one look whether rows name them. */
const SWEEP_PAGE = 50;

/** `bucket`: null: chunks are put into the database; what lies in a bucket is said to. */
export function withBucket(
  driver: Driver & { readonly storeId: string },
  bucket: Bucket | null,
  clock: Clock,
): Driver {
  const folder = folderOf(driver.storeId);
  const stubOf = async (hash: ContentHash): Promise<Stub | null> => {
    const bytes = await driver.readChunk(hash);
    return bytes ? stubIn(hash, bytes) : null;
  };

  /** The same name in another bucket is another object, or none. */
  const here = (stub: Stub): Bucket => {
    if (stub.bucket !== bucket?.shown) throw new RefloatError("E_BUCKET_UNSET", { bucket: stub.bucket });
    return bucket;
  };

  async function readChunk(hash: ContentHash): Promise<Uint8Array | null> {
    for (let missing = ""; ; ) {
      const bytes = await driver.readChunk(hash);
      const stub = bytes ? stubIn(hash, bytes) : null;
      if (!stub) return bytes;
      const object = await here(stub).get(stub.key);
      // Twice the same name: it is gone, and nobody has put another in its place meanwhile (bucket 5).
      if (object || stub.key === missing) return object;
      missing = stub.key;
    }
  }

  async function replaceChunk(chunk: Chunk): Promise<void> {
    const { hash } = chunk;
    const before = await stubOf(hash);
    if (before) here(before);
    if (!bucket) return driver.replaceChunk(chunk);
    const key = await named(bucket, chunk);
    // Dropped or replaced by somebody else meanwhile, the row names another or is gone: then ours is the one to go.
    const now = await stubOf(hash);
    const loose = new Set([key, ...(before ? [before.key] : [])]);
    if (now) loose.delete(now.key);
    for (const one of loose) await bucket.remove(one);
  }

  /** Another object for a chunk that has a row, which names it when this resolves; its name. */
  async function named(to: Bucket, { hash, bytes }: Chunk): Promise<string> {
    for (;;) {
      const key = keyOf(folder, hash);
      const sinceMs = clock.nowMs();
      await to.put(key, bytes);
      crashPoint("content.after-chunk");
      await driver.replaceChunk({ hash, bytes: rowOf({ bucket: to.shown, key }) });
      if (clock.nowMs() - sinceMs < LONG_PUT_MS || (await to.has(key))) return key;
    }
  }

  /** Also what a replacing that was killed, or could not delete, has left in the bucket. */
  async function clearFiles(): Promise<void> {
    await driver.clearFiles();
    if (bucket) await sweep(bucket, clock.nowMs() - UNNAMED_CONTENT_GRACE_MS);
  }

  /** The rows to write: of what is held already none, and it stays held long enough (hasChunks). */
  async function away(to: Bucket, chunks: readonly Chunk[]): Promise<readonly Chunk[]> {
    const held = new Set(await driver.hasChunks(chunks.map(({ hash }) => hash)));
    const old = chunks.filter(({ hash }) => held.has(hash));
    const fresh = chunks.filter(({ hash }) => !held.has(hash));
    await someAtOnce(old, (chunk) => renew(to, chunk));
    const rows = await someAtOnce(fresh, (chunk) => putAway(to, chunk));
    if (rows.length > 0) crashPoint("content.after-chunk");
    return rows;
  }

  /** bucket 6. One in another bucket comes here: whoever puts it now reads from this one. */
  async function renew(to: Bucket, chunk: Chunk): Promise<void> {
    const stub = await stubOf(chunk.hash);
    if (!stub || (stub.bucket === to.shown && (await to.has(stub.key)))) return;
    await named(to, chunk);
  }

  async function putAway(to: Bucket, { hash, bytes }: Chunk): Promise<Chunk> {
    const key = keyOf(folder, hash);
    await to.put(key, bytes);
    return { hash, bytes: rowOf({ bucket: to.shown, key }) };
  }

  async function putChunks(
    chunks: readonly Chunk[],
    content: ContentRow | null,
    nowMs: number,
  ): Promise<void> {
    if (!bucket) return driver.putChunks(chunks, content, nowMs);
    const sinceMs = clock.nowMs();
    await driver.putChunks(await away(bucket, chunks), content, nowMs);
    // bucket 2: nothing is acknowledged yet.
    if (clock.nowMs() - sinceMs >= LONG_PUT_MS) await someAtOnce(chunks, (chunk) => renew(bucket, chunk));
  }

  async function putWhole(contents: readonly Chunk[], nowMs: number): Promise<void> {
    if (!bucket) return driver.putWhole(contents, nowMs);
    for (const { chunks, row } of contents.map(asChunks)) await putChunks(chunks, row, nowMs);
  }

  /** Objects that no row names, older than a put can be on its way (bucket 2). */
  async function sweep(from: Bucket, beforeMs: number): Promise<number> {
    let page: BucketObject[] = [];
    let swept = 0;
    for await (const object of from.list(folder)) {
      // Also one whose time cannot be read: nobody can say that it is old.
      if (!(object.modifiedMs < beforeMs)) continue;
      page.push(object);
      if (page.length < SWEEP_PAGE) continue;
      swept += await sweepPage(from, page);
      page = [];
    }
    return swept + (await sweepPage(from, page));
  }

  async function sweepPage(from: Bucket, objects: readonly BucketObject[]): Promise<number> {
    const named = await Promise.all(
      objects.map(async ({ key }) => {
        const hash = hashIn(folder, key);
        return hash === null || (await stubOf(hash))?.key === key;
      }),
    );
    const loose = objects.filter((_object, at) => !named[at]);
    for (const { key } of loose) await from.remove(key);
    return loose.length;
  }

  /** By the records that go: what they alone named is out of the bucket when this resolves (D2). */
  async function forget(change: ForgetChange): Promise<GcResult> {
    if (!bucket) return driver.forget(change);
    const seqs = new Set<number>();
    let [first, last] = [Number.POSITIVE_INFINITY, 0];
    for (const { seq } of change.records) {
      seqs.add(seq);
      [first, last] = [Math.min(first, seq), Math.max(last, seq)];
    }
    const before = await objectsOf(change.session, { first, last, isMeant: (seq) => seqs.has(seq) });
    return thenRemoved(bucket, before, () => driver.forget(change));
  }

  async function deleteSession(change: DeleteChange): Promise<DeleteOutcome> {
    if (!bucket) return driver.deleteSession(change);
    const last = (await driver.readSession(change.session))?.head ?? 0;
    const before = await objectsOf(change.session, { first: 1, last, isMeant: () => true });
    return thenRemoved(bucket, before, () => driver.deleteSession(change));
  }

  /** Also where the rows went and their files could not be cleared. A repeat finds no rows: what could not be removed is `gc`'s, and said to be. */
  async function thenRemoved<T>(
    from: Bucket,
    before: ReadonlyMap<ContentHash, string>,
    erase: () => Promise<T>,
  ): Promise<T> {
    try {
      return await erase();
    } finally {
      for (const [hash, key] of before)
        if ((await stubOf(hash))?.key !== key)
          await from.remove(key).catch((thrown: unknown) => {
            const why = ensureError(thrown).message;
            throw new RefloatError("E_BUCKET_LEFT", { bucket: from.shown, why }, thrown);
          });
    }
  }

  async function objectsOf(
    session: SessionId,
    { first, last, isMeant }: { first: number; last: number; isMeant: (seq: number) => boolean },
  ): Promise<ReadonlyMap<ContentHash, string>> {
    const found = new Map<ContentHash, string>();
    for (let from = first; from <= last; from += READ_PAGE_ROWS)
      for (const { seq, hash } of await driver.readRefs(
        session,
        from,
        Math.min(from + READ_PAGE_ROWS - 1, last),
      ))
        for (const chunk of (isMeant(seq) ? await driver.readContent(hash) : null)?.chunks ?? []) {
          const stub = await stubOf(chunk);
          if (stub && here(stub)) found.set(chunk, stub.key);
        }
    return found;
  }

  // What is not of chunks is the database's.
  const ofChunks = { readChunk, putChunks, putWhole, replaceChunk, clearFiles };
  const commit = bucket ? { commit: puttingFirst(driver, putWhole) } : {};
  return layeredDriver(driver, { ...ofChunks, ...commit, gc, forget, deleteSession });

  async function gc(beforeMs: number): Promise<GcResult> {
    const result = await driver.gc(beforeMs);
    if (bucket) await sweep(bucket, Math.min(beforeMs, clock.nowMs() - UNNAMED_CONTENT_GRACE_MS));
    return result;
  }
}

async function someAtOnce<T>(chunks: readonly Chunk[], work: (chunk: Chunk) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let at = 0; at < chunks.length; at += PUTS_AT_ONCE)
    done.push(...(await Promise.all(chunks.slice(at, at + PUTS_AT_ONCE).map(work))));
  return done;
}
