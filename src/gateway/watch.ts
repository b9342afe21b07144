/**
 * What nobody tells this process: another one asked to stop a turn that runs here, a conversation held elsewhere
 * came free, a process died and left its conversations. Looked for by a timer, one look at a time.
 */
import { ensureError } from "../model/errors.ts";
import type { Store } from "../store/store.ts";
import type { Conversation } from "./conversation.ts";

const LOOK_MS = 1_000;
/** A sweep reads every conversation that moved; a dead process's conversations wait no longer than this. */
const LOOKS_PER_SWEEP = 15;

export interface SweepEnd {
  /** Something comes of time alone: another process that has conversations may die, and the guard lets go (L2). */
  readonly mustLookAgain: boolean;
}

interface WatchedGateway {
  conversations(): Iterable<Conversation>;
  sweep(): Promise<SweepEnd>;
  trouble(error: Error): void;
}

export class Watch {
  readonly #store: Store;
  readonly #every: (ms: number, fn: () => void) => { stop(): void };
  readonly #watched: WatchedGateway;
  #timer: { stop(): void } | null = null;
  #isLooking = false;
  #looks = 0;
  #version = -1;
  #mustSweep = true;

  constructor(
    store: Store,
    every: (ms: number, fn: () => void) => { stop(): void },
    watched: WatchedGateway,
  ) {
    this.#store = store;
    this.#every = every;
    this.#watched = watched;
  }

  start(): void {
    this.#timer ??= this.#every(LOOK_MS, () => this.#tick());
  }

  stop(): void {
    this.#timer?.stop();
    this.#timer = null;
  }

  #tick(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#look()
      .catch((thrown: unknown) => this.#watched.trouble(ensureError(thrown)))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  async #look(): Promise<void> {
    this.#looks++;
    const nowMs = this.#store.clock.monotonicMs();
    for (const conversation of this.#watched.conversations()) conversation.retryIfDue(nowMs);
    const version = await this.#store.driver.version();
    if (version !== this.#version) {
      this.#mustSweep = true;
      // An order may be about a turn that is just being begun: then it is looked for once more.
      this.#version = (await this.#findStops()) ? version : -1;
    }
    if (this.#looks < LOOKS_PER_SWEEP || !this.#mustSweep || !this.#timer) return;
    this.#looks = 0;
    this.#mustSweep = (await this.#watched.sweep()).mustLookAgain;
  }

  /** False: not every turn could be asked about yet. */
  async #findStops(): Promise<boolean> {
    let isAll = true;
    for (const conversation of [...this.#watched.conversations()]) {
      const { running } = conversation;
      if (!running) {
        isAll &&= conversation.beginning === null;
        continue;
      }
      const [asked] = await this.#store.records({
        session: conversation.id,
        kinds: ["stop.asked"],
        fromSeq: running.beganSeq,
        limit: 1,
      });
      const reason = asked?.body.reason;
      if (asked)
        conversation.stop({ kind: "stop", reason: typeof reason === "string" ? reason : "asked to stop" });
    }
    return isAll;
  }
}
