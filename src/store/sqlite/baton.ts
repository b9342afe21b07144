/**
 * A fair turn between processes. SQLite's file lock has no queue: under load one process can starve for
 * seconds. So where processes contend, the first to notice listens on a socket beside the store and hands
 * the baton round in the order it was asked for. The baton is advice: the file lock alone protects the data,
 * so whatever goes wrong here (a stopped holder, two arbiters for a moment) costs fairness, never a record.
 *
 *  baton 1  A process alone looks once a slice whether somebody listens, and opens no socket.
 *  baton 2  Who holds the baton keeps it while nobody else wants it; asked back, it may go on for one slice.
 *  baton 3  A death closes its connection, which frees its turn; the arbiter's death makes everybody contend anew.
 *  baton 4  Nobody waits longer than PATIENCE_MS for a turn: then it tries the file lock without one.
 *  baton 5  A stopped process (Ctrl-Z) holds nobody up for long: its turn passes on (baton-socket.ts); and an arbiter
 *       that says nothing at all is left alone for SILENCE_MS, or each commit would wait out the patience.
 */
import type { Clock } from "../../platform/clock.ts";
import type { QueueMember } from "./baton-socket.ts";
import {
  batonPath,
  isSocket,
  joinArbiter,
  listenAsArbiter,
  removeStaleSocket,
  type Seat,
} from "./baton-socket.ts";

/** Long enough for a dozen processes with a slice each, short enough that a stopped holder is soon ignored. */
const PATIENCE_MS = 100;
/** Waits in a row without a word from the arbiter, before it counts as silent: a busy machine may cause one or two. */
const MAX_UNANSWERED = 3;
/** Between two rounds with an arbiter that did not answer: a part of the time is lost to it, not all of it. */
const SILENCE_MS = 2000;
/** How long a holder may go on once asked back: a few commits per handover, so that handing over does not dominate. */
const SLICE_MS = 2;

export class Baton implements QueueMember {
  readonly #path: string | null;
  readonly #clock: Clock;
  #seat: Seat | null = null;
  #isHolding = false;
  #isAskedBack = false;
  #isCommitting = false;
  #grantedAtMs = 0;
  #wake: (() => void) | null = null;
  #isClosed = false;
  #unanswered = 0;
  #silentUntilMs = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(dbPath: string, clock: Clock) {
    this.#path = batonPath(dbPath);
    this.#clock = clock;
  }

  /** Resolves when it is our turn, or when waiting for one makes no sense. Always followed by `release`. */
  async acquire(): Promise<void> {
    this.#isCommitting = true;
    if (this.#isSilent()) return; // baton 5
    if (!this.#seat && this.#path && this.#isListening(this.#path)) await this.#join(this.#path); // baton 1
    const seat = this.#seat;
    if (!seat || this.#isHolding) return;
    this.#unanswered++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS); // baton 4
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      seat.want();
    });
    this.#wake = null;
    if (this.#unanswered >= MAX_UNANSWERED) this.#leaveAlone(); // baton 5
  }

  release(): void {
    this.#isCommitting = false;
    if (!this.#isHolding || !this.#isAskedBack) return;
    if (this.#clock.monotonicMs() - this.#grantedAtMs >= SLICE_MS) this.#giveBack();
    // Within the slice: whoever waited for this commit may be about to ask for the next one.
    else setImmediate(() => setImmediate(() => this.#giveBackIfIdle()));
  }

  /** The file lock was taken by somebody: from now on take turns. */
  async contended(): Promise<void> {
    if (this.#seat || this.#isClosed || !this.#path || this.#isSilent()) return;
    if (isSocket(this.#path)) {
      if (await this.#join(this.#path)) return;
      removeStaleSocket(this.#path);
    }
    this.#sitDown(await listenAsArbiter(this.#path, this));
  }

  granted(): void {
    this.#unanswered = 0;
    this.#isHolding = true;
    this.#isAskedBack = false;
    this.#grantedAtMs = this.#clock.monotonicMs();
    this.#wake?.();
    if (!this.#isCommitting) this.#giveBack();
  }

  heard(): void {
    this.#unanswered = 0;
  }

  askedBack(): void {
    this.#isAskedBack = true;
    this.#giveBackIfIdle();
  }

  close(): void {
    this.#isClosed = true;
    this.#seat?.close();
    this.#seat = null;
    this.#isHolding = false;
  }

  /** Between two looks nobody waits longer than for a slice of ours. */
  #isListening(path: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lookedAtMs < SLICE_MS) return false;
    this.#lookedAtMs = nowMs;
    return isSocket(path);
  }

  #isSilent(): boolean {
    return this.#clock.monotonicMs() < this.#silentUntilMs;
  }

  #leaveAlone(): void {
    this.#unanswered = 0;
    this.#silentUntilMs = this.#clock.monotonicMs() + SILENCE_MS;
    this.#seat?.close();
    this.#seat = null;
  }

  async #join(path: string): Promise<boolean> {
    const seat = await joinArbiter(path, this, () => this.#lost(seat));
    this.#sitDown(seat);
    return seat !== null;
  }

  #sitDown(seat: Seat | null): void {
    if (this.#isClosed) seat?.close();
    else this.#seat = seat;
  }

  #lost(seat: Seat | null): void {
    if (this.#seat !== seat) return;
    this.#seat = null;
    this.#isHolding = false;
    this.#wake?.();
  }

  #giveBackIfIdle(): void {
    if (this.#isHolding && this.#isAskedBack && !this.#isCommitting) this.#giveBack();
  }

  #giveBack(): void {
    this.#isHolding = false;
    this.#isAskedBack = false;
    this.#seat?.done();
  }
}
