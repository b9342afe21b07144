/**
 * Operations that text markers began: END closes only what the same channel opened, the newest of its label first. Nobody waits
 * for us to read them: their records say so, and the judge books nothing to them that it cannot prove (DESIGN 8).
 */
import { randomId } from "../platform/random.ts";
import type { RunJournal } from "./run-journal.ts";

/** In the record of an end that was read in what the agent printed. */
export const FROM_STDOUT = "stdout";

/** Open at once by text markers; an agent that prints more is not nesting but looping. */
const MAX_OPEN = 100;

export class OperationsSeen {
  readonly #journal: RunJournal;
  #open: { readonly id: string; readonly label: string }[] = [];

  constructor(journal: RunJournal) {
    this.#journal = journal;
  }

  begin(label: string): void {
    if (this.#open.length >= MAX_OPEN) return;
    const id = randomId();
    this.#open.push({ id, label });
    void this.#journal.write(this.#journal.record("operation.began", { operation: id, label, paths: null }));
  }

  /** Null: nothing of this label is open here. Else resolves when its end is written. */
  end(label: string): Promise<boolean> | null {
    const found = this.#open.findLast((one) => one.label === label);
    if (!found) return null;
    this.#open = this.#open.filter((one) => one !== found);
    return this.#journal.write(
      this.#journal.record("operation.ended", { operation: found.id, aborted: false, from: FROM_STDOUT }),
    );
  }
}
