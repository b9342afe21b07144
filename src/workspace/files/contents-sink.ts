/**
 * Where a capture's bytes go. Small ones are collected and put together, a chunk's worth to a transaction, so
 * that other writers wait for a batch at most and one sync serves many files; large ones go in piece by piece.
 * At the store's cap only hashes are taken from then on, and the sink knows which bytes it does not hold (T5).
 */
import { createHash } from "node:crypto";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash } from "../../model/ids.ts";
import { CHUNK_BYTES } from "../../model/limits.ts";
import { hashOf } from "../../store/contract/content-hash.ts";
import type { Store } from "../../store/store.ts";

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

export const storeSink = (store: Store): ContentsSink => new StoreSink(store);

/** Lives as long as one capture is read. */
class StoreSink implements ContentsSink {
  readonly #store: Store;
  readonly #held = new Set<ContentHash>();
  /** Of those that wait: there is room for them. */
  readonly #promised = new Set<ContentHash>();
  #pending = new Map<ContentHash, Uint8Array>();
  #pendingBytes = 0;
  #isFull = false;

  constructor(store: Store) {
    this.#store = store;
  }

  isHeld(hash: ContentHash): boolean {
    return this.#held.has(hash) || this.#promised.has(hash);
  }

  async add(bytes: Uint8Array): Promise<ContentHash> {
    const hash = hashOf(bytes);
    if (this.isHeld(hash) || this.#pending.has(hash)) return hash;
    if (this.#pendingBytes + bytes.byteLength > CHUNK_BYTES) await this.flush();
    this.#pending.set(hash, bytes);
    this.#pendingBytes += bytes.byteLength;
    return hash;
  }

  async addStream(pieces: AsyncIterable<Uint8Array>): Promise<ContentHash> {
    if (!this.#isFull) {
      try {
        const { hash } = await this.#store.putContent(pieces);
        this.#held.add(hash);
        return hash;
      } catch (thrown) {
        this.#isFull = isCap(thrown);
      }
    }
    return hashOfPieces(pieces);
  }

  async flush(): Promise<void> {
    const batch = this.#taken();
    await this.#put(batch.filter(([hash]) => this.#promised.has(hash)));
    const rest = batch.filter(([hash]) => !this.#promised.has(hash));
    if (rest.length === 0 || this.#isFull) return;
    try {
      await this.#store.putContents(rest.map(([, bytes]) => bytes));
      for (const [hash] of rest) this.#held.add(hash);
    } catch (thrown) {
      this.#isFull = isCap(thrown);
    }
  }

  async settle(): Promise<void> {
    if (!this.#store.putsInGroup) return this.flush();
    try {
      if (this.#pending.size > 0 && !this.#isFull) await this.#store.assertRoom();
    } catch (thrown) {
      this.#isFull = isCap(thrown);
    }
    if (this.#isFull)
      this.#pending = new Map([...this.#pending].filter(([hash]) => this.#promised.has(hash)));
    for (const hash of this.#pending.keys()) this.#promised.add(hash);
  }

  putForNext(): Promise<void> {
    return this.#put(this.#taken().filter(([hash]) => this.#promised.has(hash)));
  }

  /** What waits; from now on nothing does. */
  #taken(): (readonly [ContentHash, Uint8Array])[] {
    const batch = [...this.#pending];
    this.#pending = new Map();
    this.#pendingBytes = 0;
    return batch;
  }

  /** Those there is room for. */
  async #put(batch: readonly (readonly [ContentHash, Uint8Array])[]): Promise<void> {
    if (batch.length > 0) await this.#store.putForNext(batch.map(([hash, bytes]) => ({ hash, bytes })));
  }
}

async function hashOfPieces(pieces: AsyncIterable<Uint8Array>): Promise<ContentHash> {
  const whole = createHash("sha256");
  for await (const piece of pieces) whole.update(piece);
  return whole.digest("hex") as ContentHash;
}

/** Hashes only: for comparing with what is there now, without holding it. */
export function hashingSink(): ContentsSink {
  return {
    add: async (bytes) => hashOf(bytes),
    addStream: hashOfPieces,
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
