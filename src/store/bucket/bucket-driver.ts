/**
 * A driver whose chunks lie in a bucket: its own table of chunks holds, instead of the bytes, the name of the object that has them. All else stays
 * where it was, so rows, references, gc and who may write are the database's as ever.
 *
 *  bucket 1  The object is durable before its row is written, and the row before a record may name it (D1).
 *  bucket 2  An object's name has the store's id, is made once and never used again. So one of this store that no row names, and that is older than any put can take, will never be
 *            named: deleting it races with nobody.
 *  bucket 3  What is read is the chunk of that hash, or an error: the caller hashes it (D5).
 *  bucket 4  A row with bytes is read as ever: a store can begin with a bucket, or end with one, at any time.
 */
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { ContentHash, SessionId } from "../../model/ids.ts";
import { READ_PAGE_ROWS, UNNAMED_CONTENT_GRACE_MS } from "../../model/limits.ts";
import type { Clock } from "../../platform/clock.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { randomId } from "../../platform/random.ts";
import { hashOf } from "../contract/content-hash.ts";
import type {
  Chunk,
  ContentRow,
  DeleteChange,
  DeleteOutcome,
  Driver,
  ForgetChange,
  GcResult,
} from "../contract/driver.ts";
import type { Bucket, BucketObject } from "./bucket.ts";

const MAGIC = "refloat-bucket/1 ";
/** Longer than this no row of ours is: what begins so and is longer is a chunk. */
const MAX_STUB_BYTES = 2048;
/** Puts at a time: a server answers each after a moment, and many at once. */
const PUTS_AT_ONCE = 8;
/** Names of one look whether rows name them. */
const SWEEP_PAGE = 50;

interface Stub {
  readonly bucket: string;
  readonly key: string;
}

/** Objects of one store lie below its id, spread by their hash: several stores may share a bucket, and none judges another's (bucket 2). */
const folderOf = (storeId: string): string => `${storeId}/chunks/`;
const keyOf = (folder: string, hash: ContentHash): string =>
  `${folder}${hash.slice(0, 2)}/${hash}/${randomId()}`;
const hashIn = (folder: string, key: string): ContentHash | null =>
  key.startsWith(folder)
    ? ((/^[0-9a-f]{2}\/([0-9a-f]{64})\/[0-9a-z]+$/.exec(key.slice(folder.length))?.[1] as
        | ContentHash
        | undefined) ?? null)
    : null;

/** Null: it is the chunk itself. No chunk's hash is that of the row that names its object. */
function stubIn(hash: ContentHash, bytes: Uint8Array): Stub | null {
  if (bytes.byteLength > MAX_STUB_BYTES) return null;
  const text = Buffer.from(bytes).toString("utf8");
  if (!text.startsWith(MAGIC) || hashOf(bytes) === hash) return null;
  const [bucket = "", key = ""] = text.slice(MAGIC.length).split(" ");
  return { bucket, key };
}

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
    const bytes = await driver.readChunk(hash);
    const stub = bytes ? stubIn(hash, bytes) : null;
    if (!stub) return bytes;
    return here(stub).get(stub.key);
  }

  /** The rows to write: of what is held already none, and it stays held long enough (hasChunks). */
  async function away(to: Bucket, chunks: readonly Chunk[]): Promise<readonly Chunk[]> {
    const held = new Set(await driver.hasChunks(chunks.map(({ hash }) => hash)));
    const fresh = chunks.filter(({ hash }) => !held.has(hash));
    const rows: Chunk[] = [];
    for (let at = 0; at < fresh.length; at += PUTS_AT_ONCE)
      rows.push(
        ...(await Promise.all(fresh.slice(at, at + PUTS_AT_ONCE).map((chunk) => putAway(to, chunk)))),
      );
    if (rows.length > 0) crashPoint("content.after-chunk");
    return rows;
  }

  async function putAway(to: Bucket, { hash, bytes }: Chunk): Promise<Chunk> {
    const key = keyOf(folder, hash);
    await to.put(key, bytes);
    return { hash, bytes: Buffer.from(`${MAGIC}${to.shown} ${key}`) };
  }

  async function putChunks(
    chunks: readonly Chunk[],
    content: ContentRow | null,
    nowMs: number,
  ): Promise<void> {
    await driver.putChunks(bucket ? await away(bucket, chunks) : chunks, content, nowMs);
  }

  async function putWhole(contents: readonly Chunk[], nowMs: number): Promise<void> {
    if (!bucket) return driver.putWhole(contents, nowMs);
    for (const content of contents) {
      const bytes = content.bytes.byteLength;
      const chunks = bytes === 0 ? [] : [content];
      await putChunks(chunks, { hash: content.hash, bytes, chunks: chunks.map(({ hash }) => hash) }, nowMs);
    }
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

  // What is not of chunks is the database's own, asked of it as its own method. What somebody sets is set here, and found here again.
  const own: Partial<Driver> = { readChunk, putChunks, putWhole, commit, gc, forget, deleteSession };
  return new Proxy(own as Driver, {
    has: (target, name) => Reflect.has(target, name) || Reflect.has(driver, name),
    get: (target, name) => {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name) as unknown;
      const value: unknown = Reflect.get(driver, name);
      return typeof value === "function" ? value.bind(driver) : value;
    },
  });

  /** Contents of the group are put before its records, as the engine itself would (driver 4). */
  async function commit(group: Parameters<Driver["commit"]>[0]): ReturnType<Driver["commit"]> {
    if (!bucket) return driver.commit(group);
    for (const change of group) if (change.kind === "put") await putWhole(change.contents, change.nowMs);
    const rest = group.map((change) => (change.kind === "put" ? { ...change, contents: [] } : change));
    return driver.commit(rest);
  }

  async function gc(beforeMs: number): Promise<GcResult> {
    const result = await driver.gc(beforeMs);
    if (bucket) await sweep(bucket, Math.min(beforeMs, clock.nowMs() - UNNAMED_CONTENT_GRACE_MS));
    return result;
  }
}
