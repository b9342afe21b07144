/**
 * Calls of one tick form one commit group (D1): all changes handed in until the event loop comes round are
 * committed together, with one sync; while that is under way the next ones gather. So a hundred sessions in
 * one process cost one sync per round, and one writer alone waits for nobody.
 */
import type { ChangeOutcome, StoreChange } from "./driver.ts";

/** More would hold the write lock for long; the rest goes into the next group. */
const MAX_CHANGES_PER_GROUP = 512;
const MAX_BYTES_PER_GROUP = 4 * 1024 * 1024;

interface WaitingChange {
  readonly change: StoreChange;
  readonly bytes: number;
  readonly resolve: (outcome: ChangeOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

export class CommitGroup {
  readonly #commit: (group: readonly StoreChange[]) => Promise<readonly ChangeOutcome[]>;
  #waiting: WaitingChange[] = [];
  #isBusy = false;

  constructor(commit: (group: readonly StoreChange[]) => Promise<readonly ChangeOutcome[]>) {
    this.#commit = commit;
  }

  add(change: StoreChange): Promise<ChangeOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, bytes: bytesOf(change), resolve, reject });
      if (this.#isBusy) return;
      this.#isBusy = true;
      setImmediate(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    const group = this.#nextGroup();
    try {
      const outcomes = await this.#commit(group.map((waiting) => waiting.change));
      for (const [i, waiting] of group.entries()) waiting.resolve(outcomes[i] as ChangeOutcome);
    } catch (thrown) {
      // The whole group was rolled back: each caller is told, none is saved (D6).
      for (const waiting of group) waiting.reject(thrown);
    }
    if (this.#waiting.length > 0) {
      setImmediate(() => void this.#flush());
      return;
    }
    // Whoever was just answered may add the next change in this very tick: it starts a new round by itself.
    this.#isBusy = false;
  }

  #nextGroup(): WaitingChange[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.bytes;
      if (count > 0 && (count >= MAX_CHANGES_PER_GROUP || bytes > MAX_BYTES_PER_GROUP)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

/** What a change adds to the store, about. */
export function bytesOf(change: StoreChange): number {
  if (change.kind === "put") return change.contents.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  if (!("records" in change)) return 0;
  return change.records.reduce((sum, record) => sum + record.body.length, 0);
}
