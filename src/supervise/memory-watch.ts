/** Whether the kernel killed for memory just before the agent died: its own count, looked at again and again. */
import { outOfMemoryKills } from "../platform/out-of-memory.ts";

/** The last few looks: a kill is seen here before its victim's end is heard of, or after; not minutes apart. */
const KEPT_LOOKS = 5;

export class MemoryWatch {
  readonly #count: () => number | null;
  #looks: (number | null)[] = [];

  constructor(count: () => number | null = outOfMemoryKills) {
    this.#count = count;
    this.look();
  }

  look(): void {
    this.#looks = [...this.#looks, this.#count()].slice(-KEPT_LOOKS);
  }

  hasKilledLately(): boolean {
    const [oldest = null] = this.#looks;
    const now = this.#count();
    return oldest !== null && now !== null && now > oldest;
  }
}
