/** What happens while a terminal is ours, in order, for the one who asks what is next. */
import type { Key } from "./read-keys.ts";

export type Happening =
  | { readonly kind: "key"; readonly key: Key }
  /** Another size, or somebody else has drawn meanwhile. */
  | { readonly kind: "redraw" }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals };

export class HappeningQueue {
  #waiting: Happening[] = [];
  #wake: (() => void) | null = null;

  get hasSignal(): boolean {
    return this.#waiting.some(({ kind }) => kind === "signal");
  }

  add(what: Happening): void {
    this.#waiting.push(what);
    this.#wake?.();
  }

  /** Before everything that waits. */
  addFirst(what: Happening): void {
    this.#waiting.unshift(what);
    this.#wake?.();
  }

  async next(): Promise<Happening> {
    for (;;) {
      const first = this.#waiting.shift();
      if (first) return first;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
  }

  forgetKeys(): void {
    this.#waiting = this.#waiting.filter(({ kind }) => kind !== "key");
  }

  clear(): void {
    this.#waiting = [];
  }
}
