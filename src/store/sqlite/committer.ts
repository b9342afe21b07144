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
  readonly #baton: Baton;
  #last: Promise<unknown> = Promise.resolve();
  #isUpkeepPlanned = false;
  #markedMs = Number.NEGATIVE_INFINITY;

  constructor(engine: SqliteEngine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
    this.#baton = new Baton(engine.connection.path, clock);
  }

  /** Steps run in the order they were asked for, one at a time. */
  step<T>(work: () => T): Promise<T> {
    const result = this.#last.then(() => this.#withLock(work));
    this.#last = result.catch(() => undefined); // its caller has the error; the next step is another matter
    return result;
  }

  async close(): Promise<void> {
    await this.#last;
    this.#baton.close();
  }

  async #withLock<T>(work: () => T): Promise<T> {
    const startedMs = this.#clock.monotonicMs();
    for (;;) {
      await this.#baton.acquire();
      try {
        const result = work();
        this.#planUpkeep();
        return result;
      } catch (thrown) {
        if (!(thrown instanceof StoreLocked)) throw thrown;
        const waitedMs = this.#clock.monotonicMs() - startedMs;
        if (waitedMs > LOCK_WAIT_MS)
          throw new RefloatError("E_STORE_BUSY", { ms: Math.round(waitedMs) }, thrown);
      } finally {
        this.#baton.release();
      }
      await this.#baton.contended();
      await this.#clock.sleep(jitterMs(RETRY_MIN_MS, RETRY_MAX_MS));
    }
  }

  /** Off the append path: the caller is answered first. */
  #planUpkeep(): void {
    const nowMs = this.#clock.monotonicMs();
    const isMarkDue = nowMs - this.#markedMs >= MARK_INTERVAL_MS;
    if (this.#isUpkeepPlanned || !(isMarkDue || this.#engine.isCheckpointDue())) return;
    this.#isUpkeepPlanned = true;
    this.#markedMs = nowMs;
    setImmediate(() => {
      this.#isUpkeepPlanned = false;
      // A failed checkpoint or mark loses nothing: the log stays the truth, and the next append reports the disk's state.
      this.step(() => this.#engine.upkeep()).catch(() => undefined);
    });
  }
}
