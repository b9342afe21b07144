/**
 * Ends an agent, rung by rung, until it is over (DESIGN 4): a signal, time to save its work, the next signal. Being
 * told again (a second Ctrl-C, a service manager that loses patience) goes to the next rung at once.
 */
import type { Clock } from "../platform/clock.ts";
import type { Rung } from "./agent.ts";

export interface LadderHands {
  readonly clock: Clock;
  /** Resolves when the agent's process is over. */
  readonly exited: Promise<unknown>;
  send(rung: Rung): void | Promise<void>;
  capture(): Promise<unknown>;
}

export class StopLadder {
  readonly #rungs: readonly Rung[];
  readonly #hands: LadderHands;
  #hurry: AbortController = new AbortController();
  #isOver = false;

  constructor(rungs: readonly Rung[], hands: LadderHands) {
    this.#rungs = rungs;
    this.#hands = hands;
    void hands.exited.then(() => {
      this.#isOver = true;
    });
  }

  /** Waits no longer on the rung it stands on. */
  hurry(): void {
    this.#hurry.abort();
  }

  /** True: the agent is over. False: not even the last signal ended it. */
  async climb(): Promise<boolean> {
    for (const rung of this.#rungs) {
      if (this.#isOver) return true;
      // No longer than the rung itself may take: a capture that is not done by then goes on behind the signal.
      if (rung.isCapturedBefore) await this.#wait(rung.waitMs, this.#hands.capture());
      if (this.#isOver) return true;
      await this.#hands.send(rung);
      await this.#wait(rung.waitMs, null);
      this.#hurry = new AbortController();
    }
    return this.#isOver;
  }

  async #wait(ms: number, until: Promise<unknown> | null): Promise<void> {
    const ending = new AbortController();
    const { signal } = this.#hurry;
    const sleep = this.#hands.clock
      .sleep(ms, AbortSignal.any([signal, ending.signal]))
      .catch(() => undefined);
    await Promise.race([sleep, this.#hands.exited, ...(until ? [until] : [])]);
    ending.abort();
  }
}
