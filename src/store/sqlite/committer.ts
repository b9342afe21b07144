/**
 * Runs the engine's writing steps one after the other, each under the store's write lock, waiting for it
 * asynchronously (never inside the driver) and in turn with other processes. After a step that was
 * acknowledged, the log is copied into the database if it has grown: off the append path (D1).
 */
import { RefloatError } from "../../model/errors.ts";
import { LOCK_WAIT_MS } from "../../model/limits.ts";
import type { Clock } from "../../platform/clock.ts";
import { jitterMs } from "../../platform/random.ts";
import { Baton } from "./baton.ts";
import type { SqliteEngine } from "./engine.ts";
import { StoreLocked } from "./sqlite-error.ts";

/** Between two tries at the file lock, when the baton did not settle it. Random, so that two do not march in step. */
const RETRY_MIN_MS = 1;
const RETRY_MAX_MS = 8;
/** How often the last-sequence mark is renewed while there are commits (D7). */
const MARK_INTERVAL_MS = 1000;

export class Committer {
  readonly #engine: SqliteEngine;
  readonly #clock: Clock;
  readonly #lockWaitMs: number;
  readonly #baton: Baton;
  #last: Promise<unknown> = Promise.resolve();
  #upkeep: { readonly timer: NodeJS.Timeout; readonly isUrgent: boolean } | null = null;
  #isClosed = false;
  #markedMs = Number.NEGATIVE_INFINITY;

  constructor(
    engine: SqliteEngine,
    { clock, lockWaitMs = LOCK_WAIT_MS }: { readonly clock: Clock; readonly lockWaitMs?: number },
  ) {
    this.#engine = engine;
    this.#clock = clock;
    this.#lockWaitMs = lockWaitMs;
    this.#baton = new Baton(engine.connection.path, clock);
  }

  /** Steps run in the order they were asked for, one at a time. */
  async step<T>(work: () => T): Promise<T> {
    const result = await this.#queue(work);
    this.#planUpkeep();
    return result;
  }

  #queue<T>(work: () => T): Promise<T> {
    const result = this.#last.then(() => this.#withLock(work));
    this.#last = result.catch(() => undefined); // its caller has the error; the next step is another matter
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelUpkeep();
    await this.#last;
    this.#baton.close();
  }

  async #withLock<T>(work: () => T): Promise<T> {
    const startedMs = this.#clock.monotonicMs();
    for (;;) {
      await this.#baton.acquire();
      try {
        return work();
      } catch (thrown) {
        if (!(thrown instanceof StoreLocked)) throw thrown;
        const waitedMs = this.#clock.monotonicMs() - startedMs;
        if (waitedMs > this.#lockWaitMs)
          throw new RefloatError("E_STORE_BUSY", { ms: Math.round(waitedMs) }, thrown);
      } finally {
        this.#baton.release();
      }
      await this.#baton.contended();
      await this.#clock.sleep(jitterMs(RETRY_MIN_MS, RETRY_MAX_MS));
    }
  }

  /** Off the append path: the caller is answered first. The mark waits for its second, so that a burst ends in one. */
  #planUpkeep(): void {
    const isUrgent = this.#engine.isCheckpointDue();
    if (this.#isClosed || (this.#upkeep && (this.#upkeep.isUrgent || !isUrgent))) return;
    const delayMs = isUrgent ? 0 : MARK_INTERVAL_MS - (this.#clock.monotonicMs() - this.#markedMs);
    this.#cancelUpkeep();
    const timer = setTimeout(() => this.#doUpkeep(), Math.max(0, delayMs));
    timer.unref();
    this.#upkeep = { timer, isUrgent };
  }

  #doUpkeep(): void {
    this.#upkeep = null;
    this.#markedMs = this.#clock.monotonicMs();
    // A failed checkpoint or mark loses nothing: the log stays the truth, and the next append reports the disk's state.
    this.#queue(() => this.#engine.upkeep()).catch(() => undefined);
  }

  #cancelUpkeep(): void {
    if (this.#upkeep) clearTimeout(this.#upkeep.timer);
    this.#upkeep = null;
  }
}
