/**
 * Where a capture's bytes go. Small ones are collected and put together, a chunk's worth to a transaction, so
 * that other writers wait for a batch at most and one sync serves many files; large ones go in piece by piece.
 * At the store's cap only hashes are taken from then on, and the sink knows which bytes it does not hold (T5).
 */
import { createHash } from "node:crypto";
import { RefloatError } from "../model/errors.ts";
import type { ContentHash } from "../model/ids.ts";
import { CHUNK_BYTES } from "../model/limits.ts";
import { hashOf } from "../store/content-store.ts";
import type { Store } from "../store/store.ts";

export interface ContentsSink {
  /** At most a chunk. The bytes are kept until the next flush: the caller must not change them. */
  add(bytes: Uint8Array): Promise<ContentHash>;
  addStream(pieces: AsyncIterable<Uint8Array>): Promise<ContentHash>;
  /** Everything added is in the store when it resolves. */
  flush(): Promise<void>;
  /** When it resolves, `isHeld` tells of everything added; part of it may still wait to be put. */
  settle(): Promise<void>;
  /** Puts what waits into the commit group that a record appended right after this call is in, or the one before. */
  putForNext(): Promise<void>;
  /** Whether it is in the store or will be, before or with the record that names it. */
  isHeld(hash: ContentHash): boolean;
}

/** Bytes that are in memory already, however many. */
export function addBytes(sink: ContentsSink, bytes: Buffer): Promise<ContentHash> {
  if (bytes.length <= CHUNK_BYTES) return sink.add(Buffer.from(bytes));
  return sink.addStream({
    async *[Symbol.asyncIterator]() {
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
    },
  });
}

export function storeSink(store: Store): ContentsSink {
  const held = new Set<ContentHash>();
  /** Of those that wait: there is room for them. */
  const promised = new Set<ContentHash>();
  let pending = new Map<ContentHash, Uint8Array>();
  let pendingBytes = 0;
  let isFull = false;

  async function flush(): Promise<void> {
    const batch = pending;
    pending = new Map();
    pendingBytes = 0;
    const isPromised = ([hash]: readonly [ContentHash, Uint8Array]): boolean => promised.has(hash);
    await put([...batch].filter(isPromised));
    const rest = [...batch].filter((one) => !isPromised(one));
    if (rest.length === 0 || isFull) return;
    try {
      await store.putContents(rest.map(([, bytes]) => bytes));
      for (const [hash] of rest) held.add(hash);
    } catch (thrown) {
      isFull = isCap(thrown);
    }
  }

  /** Those there is room for. */
  async function put(batch: readonly (readonly [ContentHash, Uint8Array])[]): Promise<void> {
    if (batch.length > 0) await store.putForNext(batch.map(([hash, bytes]) => ({ hash, bytes })));
  }

  async function settle(): Promise<void> {
    if (!store.putsInGroup) return flush();
    try {
      if (pending.size > 0 && !isFull) await store.assertRoom();
    } catch (thrown) {
      isFull = isCap(thrown);
    }
    if (isFull) pending = new Map([...pending].filter(([hash]) => promised.has(hash)));
    for (const hash of pending.keys()) promised.add(hash);
  }

  function putForNext(): Promise<void> {
    const batch = [...pending];
    pending = new Map();
    pendingBytes = 0;
    return put(batch.filter(([hash]) => promised.has(hash)));
  }

  return {
    flush,
    settle,
    putForNext,
    isHeld: (hash) => held.has(hash) || promised.has(hash),
    add: async (bytes) => {
      const hash = hashOf(bytes);
      if (held.has(hash) || promised.has(hash) || pending.has(hash)) return hash;
      if (pendingBytes + bytes.byteLength > CHUNK_BYTES) await flush();
      pending.set(hash, bytes);
      pendingBytes += bytes.byteLength;
      return hash;
    },
    addStream: async (pieces) => {
      const whole = createHash("sha256");
      if (!isFull) {
        try {
          const { hash } = await store.putContent(pieces);
          held.add(hash);
          return hash;
        } catch (thrown) {
          isFull = isCap(thrown);
        }
      }
      for await (const piece of pieces) whole.update(piece);
      return whole.digest("hex") as ContentHash;
    },
  };
}

/** Hashes only: for comparing with what is there now, without holding it. */
export function hashingSink(): ContentsSink {
  return {
    add: async (bytes) => hashOf(bytes),
    addStream: async (pieces) => {
      const whole = createHash("sha256");
      for await (const piece of pieces) whole.update(piece);
      return whole.digest("hex") as ContentHash;
    },
    flush: async () => undefined,
    settle: async () => undefined,
    putForNext: async () => undefined,
    isHeld: () => true,
  };
}

/** Only the cap is gone on with; a full disk or a lost store fails the capture (W4). */
function isCap(thrown: unknown): true {
  if (thrown instanceof RefloatError && thrown.code === "E_STORE_CAP") return true;
  throw thrown;
}
