/** A named stretch of work whose changes belong together. What its author says of it is a claim (T2). */
import { newRecord } from "../session/new-record.ts";
import type { SessionJournal } from "./session-journal.ts";

export class Operation {
  readonly id: string;
  readonly label: string;
  readonly #journal: SessionJournal;

  constructor(journal: SessionJournal, id: string, label: string) {
    this.#journal = journal;
    this.id = id;
    this.label = label;
  }

  end(): Promise<void> {
    return this.#close(false);
  }

  abort(): Promise<void> {
    return this.#close(true);
  }

  async #close(aborted: boolean): Promise<void> {
    const record = newRecord(
      this.#journal.clock,
      "operation.ended",
      { operation: this.id, aborted },
      `operation-end:${this.id}`,
    );
    await this.#journal.appendEnd([record], { record: record.id, what: "operation", id: this.id });
    // Its author waits: what is captured now is what it says is done, and nothing that comes after (S3).
    await this.#journal.captures.operationEnded(aborted ? null : this.id);
  }
}
