/**
 * Keeps the transcript of an agent that is alive, as it grows: its machine may be lost with its disk before anything ends (W8). What was read
 * once is not read again but for the piece it grew from, which must still be what it was; else all of it is looked at anew. The agent's file
 * is only read, a piece at a time, and nothing waits for it.
 */
import { createHash, type Hash } from "node:crypto";
import { closeSync, fstatSync } from "node:fs";
import type { KeptTranscript } from "../../model/agent-kinds.ts";
import { RefloatError } from "../../model/errors.ts";
import {
  TRANSCRIPT_KEEP_EVERY_MS,
  TRANSCRIPT_KEEP_PIECE_MS,
  TRANSCRIPT_KEPT_BYTES,
  TRANSCRIPT_PIECE_BYTES,
} from "../../model/limits.ts";
import { hashOf } from "../../store/contract/content-hash.ts";
import type { Store } from "../../store/store.ts";
import { openedFile } from "../transcript/opened-file.ts";
import {
  isErased,
  type KeepTranscriptOrder,
  type KeptPiece,
  keepTranscript,
  pieceAt,
  piecesKept,
  putPiece,
  writeKept,
} from "./keep-transcript.ts";
import { tailCuts } from "./tail-cuts.ts";

/** What is in the store of it. */
interface KeptSoFar {
  readonly file: string;
  /** Of the full pieces. */
  readonly full: readonly KeptPiece[];
  readonly fullHash: Hash;
  /** What stands behind them: how it is cut, and what it is. */
  readonly tail: readonly KeptPiece[];
  readonly cuts: readonly number[];
  readonly tailHash: string;
}

/** Nothing of it yet. */
const nothingOf = (file: string): KeptSoFar => ({
  ...{ file, full: [], fullHash: createHash("sha256") },
  ...{ tail: [], cuts: [], tailHash: hashOf(Buffer.alloc(0)) },
});

const lengthOf = (cuts: readonly number[]): number => cuts.reduce((sum, one) => sum + one, 0);

/** For one attempt, whose claim the caller has. */
export class GrowingTranscript {
  readonly #store: Store;
  readonly #order: KeepTranscriptOrder;
  #so: KeptSoFar | null = null;
  #known: ReadonlyMap<string, KeptPiece> = new Map();
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(store: Store, order: KeepTranscriptOrder) {
    this.#store = store;
    this.#order = order;
  }

  /** Whether it is time to look again. */
  get isDue(): boolean {
    return this.#store.clock.monotonicMs() >= this.#nextMs;
  }

  /** Null: nothing was kept, as `keepTranscript` says, or a store that is full. Throws E_FENCED. */
  async keep(): Promise<KeptTranscript | null> {
    let pieces = 0;
    try {
      const kept = await this.#keep();
      pieces = kept?.chunks.length ?? 0;
      return kept;
    } catch (thrown) {
      this.#so = null;
      // A piece of it went with another record: the next time all of it is put. A file that is gone, a store that is full: no reason to stop.
      if (!(thrown instanceof RefloatError && LEFT_ALONE.has(thrown.code))) throw thrown;
      return null;
    } finally {
      const pause = Math.max(TRANSCRIPT_KEEP_EVERY_MS, pieces * TRANSCRIPT_KEEP_PIECE_MS);
      this.#nextMs = this.#store.clock.monotonicMs() + pause;
    }
  }

  async #keep(): Promise<KeptTranscript | null> {
    // Only lines are added to at their end; what is written anew each time is kept as at its end.
    if (this.#order.adapter.transcript.storage !== "lines") return keepTranscript(this.#store, this.#order);
    if (await isErased(this.#store, this.#order.session)) return null;
    const fd = openedFile(this.#order.path);
    try {
      return await this.#keepLines(fd);
    } finally {
      closeSync(fd);
    }
  }

  async #keepLines(fd: number): Promise<KeptTranscript | null> {
    const { size, dev, ino } = fstatSync(fd);
    if (size === 0 || size > TRANSCRIPT_KEPT_BYTES) return null;
    const file = `${dev} ${ino}`;
    let so = this.#so?.file === file && isStill(fd, size, this.#so) ? this.#so : null;
    if (so !== null && size === so.full.length * TRANSCRIPT_PIECE_BYTES + lengthOf(so.cuts)) return null;
    if (so === null) {
      this.#known = await piecesKept(this.#store, this.#order.session);
      so = nothingOf(file);
    }
    so = await this.#withFull(fd, size, so);
    so = await this.#withTail(fd, size, so);
    const last = pieceAt(fd, so.full.length * TRANSCRIPT_PIECE_BYTES, lengthOf(so.cuts));
    // Written anew meanwhile: what was read is of two files.
    if (hashOf(last) !== so.tailHash) return null;
    const sha256 = so.fullHash.copy().update(last).digest("hex");
    const kept = await writeKept(this.#store, this.#order, {
      ...{ bytes: size, sha256 },
      chunks: [...so.full, ...so.tail],
    });
    this.#so = so;
    return kept;
  }

  /** The pieces that are full by now. */
  async #withFull(fd: number, size: number, so: KeptSoFar): Promise<KeptSoFar> {
    const full = [...so.full];
    const fullHash = so.fullHash.copy();
    while (size - full.length * TRANSCRIPT_PIECE_BYTES >= TRANSCRIPT_PIECE_BYTES) {
      const piece = pieceAt(fd, full.length * TRANSCRIPT_PIECE_BYTES, TRANSCRIPT_PIECE_BYTES);
      fullHash.update(piece);
      full.push(await putPiece(this.#store, piece, this.#known));
      // The agent's output passes through this process, too.
      await this.#store.clock.sleep(1);
    }
    if (full.length === so.full.length) return so;
    return { ...nothingOf(so.file), full, fullHash };
  }

  async #withTail(fd: number, size: number, so: KeptSoFar): Promise<KeptSoFar> {
    const from = so.full.length * TRANSCRIPT_PIECE_BYTES;
    const bytes = pieceAt(fd, from, size - from);
    const cuts = tailCuts(so.cuts, bytes.length - lengthOf(so.cuts));
    const tail: KeptPiece[] = [];
    for (let at = 0, start = 0; at < cuts.length; at++) {
      const end = start + (cuts[at] ?? 0);
      const own = cuts[at] === so.cuts[at] ? so.tail[at] : undefined;
      tail.push(own ?? (await putPiece(this.#store, bytes.subarray(start, end), this.#known)));
      start = end;
    }
    return { ...so, tail, cuts, tailHash: hashOf(bytes) };
  }
}

/** It has only grown: what stood behind its last full piece stands there. */
function isStill(fd: number, size: number, { full, cuts, tailHash }: KeptSoFar): boolean {
  const from = full.length * TRANSCRIPT_PIECE_BYTES;
  const length = lengthOf(cuts);
  return size >= from + length && hashOf(pieceAt(fd, from, length)) === tailHash;
}

const LEFT_ALONE: ReadonlySet<string> = new Set(["E_NO_FILE", "E_NO_CONTENT", "E_STORE_CAP"]);
