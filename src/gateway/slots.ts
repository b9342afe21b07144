/** So many at a time (T5); the others wait in the order they came. */
import type { Clock } from "../platform/clock.ts";
import { within } from "../platform/within.ts";

export class TurnSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/**
 * One at a time, for turns that are suspected of ending their process: then it is known which one did (L2). One that
 * has not done so for a while keeps nobody waiting any longer.
 */
export class AloneSlot {
  readonly #slots = new TurnSlots(1);
  readonly #clock: Clock;
  readonly #ms: number;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  take<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const begin = async (): Promise<void> => {
        const working = work();
        working.then(resolve, reject);
        await within(this.#clock, this.#ms, working).catch(() => undefined); // told to who asked for it
      };
      void this.#slots.take(begin);
    });
  }
}
