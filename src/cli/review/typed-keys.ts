/** The pieces a terminal sends, as keys: the beginning of a sequence waits a moment for its rest. */
import { type Key, readKeys, withoutMore } from "./read-keys.ts";

/** How long the rest of a key's sequence may take: a terminal sends it at once, a slow line a little later. */
const SEQUENCE_MS = 100;

export class TypedKeys {
  readonly #onKey: (key: Key) => void;
  #held = "";
  #timer: NodeJS.Timeout | null = null;

  constructor(onKey: (key: Key) => void) {
    this.#onKey = onKey;
  }

  add(piece: string): void {
    this.stopWaiting();
    this.#take(readKeys(this.#held + piece));
    if (this.#held !== "") this.#timer = setTimeout(() => this.#take(withoutMore(this.#held)), SEQUENCE_MS);
  }

  /** What was begun is not waited for any more. */
  forget(): void {
    this.#held = "";
  }

  stopWaiting(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #take({ keys, rest }: ReturnType<typeof readKeys>): void {
    this.#held = rest;
    for (const key of keys) this.#onKey(key);
  }
}
