/**
 * What a supervisor writes of its own session, in order, under its attempt. Once the agent runs, a store that fails
 * must not cost the agent: a record that cannot be written waits here and is tried again with the next one and at
 * the end (D6: nothing claims to be saved before it is). What never could be written is said at the end.
 */
import { ensureError, RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { BodyOf, NewRecord, RecordKind } from "../model/record.ts";
import { randomId } from "../platform/random.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";

/** Groups of records that wait for a store that fails; an agent prints a marker now and then, not thousands. */
const MAX_WAITING = 500;

/** What the store will refuse for ever: another process closed what the record is about, or it does not fit. */
const REFUSED: ReadonlySet<string> = new Set([
  "E_NOT_OPEN",
  "E_ALREADY_OPEN",
  "E_ID_REUSED",
  "E_BAD_RECORD",
  "E_NOT_JSON",
  "E_TOO_LARGE",
]);

export class RunJournal {
  readonly session: SessionId;
  readonly attempt: number;
  readonly #store: Store;
  readonly #onFailure: (error: Error) => void;
  /** Each group is one change: all of it or nothing. */
  #waiting: (readonly NewRecord[])[] = [];
  #writing: Promise<boolean> = Promise.resolve(true);
  #isLost = false;

  constructor(
    store: Store,
    claim: { readonly session: SessionId; readonly attempt: number },
    onFailure: (error: Error) => void,
  ) {
    this.#store = store;
    this.session = claim.session;
    this.attempt = claim.attempt;
    this.#onFailure = onFailure;
  }

  /** Records that are not on disk. */
  get unwritten(): number {
    return this.#waiting.flat().length;
  }

  record<K extends RecordKind>(kind: K, body: BodyOf<K>): NewRecord {
    return newRecord(this.#store.clock, kind, body);
  }

  /** True: it is on disk, and so is everything before it that the store ever takes. */
  write(...records: readonly NewRecord[]): Promise<boolean> {
    if (records.length > 0) this.#waiting = [...this.#waiting, records].slice(-MAX_WAITING);
    this.#writing = this.#writing.then(() => this.#flush());
    return this.#writing;
  }

  /** The last records and the claim's return, all or nothing; false: the claim stays until our death is proved. */
  async release(...records: readonly NewRecord[]): Promise<boolean> {
    if (!(await this.write())) return false;
    const { session, attempt } = this;
    const last = [...records, this.record("claim.released", { attempt })];
    try {
      await this.#store.release(session, attempt, last);
      return true;
    } catch (thrown) {
      this.#waiting = [last];
      this.#fail(thrown);
      return false;
    }
  }

  async #flush(): Promise<boolean> {
    for (let group = this.#waiting[0]; group !== undefined; group = this.#waiting[0]) {
      if (this.#isLost) return false;
      try {
        await this.#store.append(this.session, { attempt: this.attempt }, group);
      } catch (thrown) {
        this.#fail(thrown);
        if (!isRefused(thrown)) return false;
      }
      this.#waiting = this.#waiting.filter((other) => other !== group);
    }
    return true;
  }

  #fail(thrown: unknown): void {
    // K1: another owner has the session; nothing of this attempt will ever be taken again.
    if (thrown instanceof RefloatError && thrown.code === "E_FENCED") this.#isLost = true;
    this.#onFailure(ensureError(thrown));
  }
}

const isRefused = (thrown: unknown): boolean => thrown instanceof RefloatError && REFUSED.has(thrown.code);

// Operations that text markers began: END closes only what the same channel opened, the newest of its label first. Nobody waits
// for us to read them: their records say so, and the judge books nothing to them that it cannot prove (DESIGN 8).

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
