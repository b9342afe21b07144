/**
 * One session's line to the store: appends under its attempt and keeps the fold in step with what is on
 * disk. A record enters the fold only after it was acknowledged, and records that others put between ours
 * (inputs, orders) are fetched first, so that a view never shows anything in another order than the journal.
 */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { NewRecord, StoredRecord } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { tellRecords } from "../platform/observed.ts";
import type { AppendOutcome, Store } from "../store/store.ts";
import type { Fold } from "./fold.ts";
import type { HearLive, LivePiece } from "./live-piece.ts";
import { NO_CAPTURES, type OpenCaptures, type SessionCaptures } from "./session-captures.ts";

/** A message that is being written, as its turn's end sees it. */
export interface OpenStream {
  readonly turn: string;
  handOver(): Promise<readonly NewRecord[]>;
  /** What is not on disk yet. */
  tail(): readonly LivePiece[];
  ended(): void;
}

/** What a record ends. */
export interface EndOf {
  readonly record: string;
  readonly what: "turn" | "call" | "operation";
  readonly id: string;
}

export class SessionJournal {
  readonly store: Store;
  readonly session: SessionId;
  readonly attempt: number;
  readonly fold: Fold;
  readonly captures: SessionCaptures;
  /** Messages being written here. */
  readonly streams = new Set<OpenStream>();
  /** Who reads along before the disk does. */
  readonly hearLive = new Set<HearLive>();
  #applying: Promise<void> = Promise.resolve();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(
    store: Store,
    session: SessionId,
    attempt: number,
    fold: Fold,
    openCaptures: OpenCaptures | null = null,
  ) {
    this.store = store;
    this.session = session;
    this.attempt = attempt;
    this.fold = fold;
    this.captures =
      openCaptures?.({ session, attempt, append: (records) => this.append(records) }) ?? NO_CAPTURES;
  }

  get clock(): Clock {
    return this.store.clock;
  }

  /** Durable when it resolves (D1), and in the fold. */
  async append(records: readonly NewRecord[], options: { expectHead?: number } = {}): Promise<AppendOutcome> {
    const appending = this.#append(records, options);
    this.#underWay.add(appending);
    try {
      return await appending;
    } finally {
      this.#underWay.delete(appending);
    }
  }

  /** With the record that ends a thing. One that has ended otherwise is not open: that is said, not that its end's id is used (D4). */
  async appendEnd(records: readonly NewRecord[], of: EndOf): Promise<AppendOutcome> {
    try {
      return await this.append(records);
    } catch (thrown) {
      const isOver =
        thrown instanceof RefloatError && thrown.code === "E_ID_REUSED" && thrown.data.id === of.record;
      if (!isOver) throw thrown;
      throw new RefloatError("E_NOT_OPEN", { session: this.session, what: of.what, id: of.id }, thrown);
    }
  }

  async #append(records: readonly NewRecord[], options: { expectHead?: number }): Promise<AppendOutcome> {
    const appended = await this.store.append(this.session, { attempt: this.attempt }, records, options);
    await this.#apply(stored(this.session, this.attempt, records, appended));
    return appended;
  }

  /** What is being appended now is on disk or refused: the fold knows what is open. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async release(records: readonly NewRecord[]): Promise<void> {
    const appended = await this.store.release(this.session, this.attempt, records);
    await this.#apply(stored(this.session, this.attempt, records, appended));
  }

  /** A record somebody without the claim may write; it enters the fold like any other. */
  async appendAsAnyone(records: readonly NewRecord[]): Promise<AppendOutcome> {
    const appended = await this.store.append(this.session, "anyone", records);
    const written = stored(this.session, null, records, appended);
    // What is written under the claim, the store tells of itself.
    tellRecords(written);
    await this.#apply(written);
    return appended;
  }

  /** Takes in what others wrote up to now. */
  async catchUp(): Promise<void> {
    await this.#inTurn(() => this.#readUpTo(Number.MAX_SAFE_INTEGER));
  }

  // Commit groups may be acknowledged together; the fold takes their records one append after the other.
  #apply(records: readonly StoredRecord[]): Promise<void> {
    const last = records.at(-1);
    if (!last || last.seq <= this.fold.head) return Promise.resolve();
    const isNext = records[0]?.seq === this.fold.head + 1;
    if (isNext) {
      for (const record of records) this.fold.add(record);
      return Promise.resolve();
    }
    return this.#inTurn(() => this.#readUpTo(last.seq));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#applying.then(work);
    this.#applying = done.catch(() => undefined); // the caller has the error; the next reader starts from the fold's head
    return done;
  }

  async #readUpTo(seq: number): Promise<void> {
    for await (const record of this.store.journal(this.session, {
      fromSeq: this.fold.head + 1,
      toSeq: seq,
    })) {
      if (record.seq === this.fold.head + 1) this.fold.add(record);
    }
  }
}

function stored(
  session: SessionId,
  attempt: number | null,
  records: readonly NewRecord[],
  appended: AppendOutcome,
): StoredRecord[] {
  return records.map(({ id, kind, atMs, body }, i) => ({
    session,
    seq: appended.seqs[i] ?? 0,
    id,
    kind,
    attempt,
    atMs,
    body,
    isForgotten: false,
    isDamaged: false,
  }));
}
