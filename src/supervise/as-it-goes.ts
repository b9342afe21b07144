/**
 * Safe work committed as the session goes (`"commit": {"at": "operation-end"}`, W1): each time an operation has ended by a word
 * that was waited for (a printed END is not, T2) and the tree was captured, what ended operations left is judged and, where safe, committed, by a process of its own that is
 * outside the session's mark (T2). What could go wrong, and what is done about it:
 *  - it stops the agent: nothing of it runs in this process, and the agent waits for nothing
 *  - the agent goes on writing, commits itself, moves HEAD: the act compares everything before it changes anything, and
 *    leaves what does not fit; it is looked at again when the next operation ends, and at the latest by `settle`
 *  - many operations end at once: one pass at a time, and rests between them in proportion to what the last one took
 *  - it fails: said and recorded once for each cause; only what passes by itself is tried again, and that a few times
 *  - this process is killed: the other one comes to its end by itself, or leaves a plan that the next start settles (S5)
 */
import { ensureError } from "../model/errors.ts";
import { bodyAs, type StoredRecord } from "../model/record.ts";
import type { Store } from "../store/store.ts";
import type { RunJournal } from "./run-journal.ts";
import { FROM_STDOUT } from "./run-journal.ts";

/** What became of one look at what ended operations left. */
export type CommitPass =
  | { readonly kind: "committed"; readonly commit: string; readonly plan: string }
  /** Nothing that ended operations left is safe, or there is nothing. */
  | { readonly kind: "left" }
  | { readonly kind: "failed"; readonly code: string | null; readonly message: string };

export interface AsItGoesOptions {
  readonly store: Store;
  readonly journal: RunJournal;
  /** When the signal comes, what is at work is left to itself: it ends without us. */
  readonly pass: (leave: AbortSignal) => Promise<CommitPass>;
  readonly tell: (line: string) => void;
}

/** Somebody else is at it for a moment: git, another refloat, the agent itself. */
const PASSING: ReadonlySet<string> = new Set([
  "E_ACT_BUSY",
  "E_CAPTURE_MOVING",
  "E_INDEX_LOCKED",
  "E_REF_LOCKED",
  "E_REF_MOVED",
  "E_STORE_BUSY",
]);
const TRY_AGAIN_MS = 2000;
const MAX_TRIES = 3;
/** Between two passes this many times as long as the last one took: an agent that ends a thousand operations is not outpaced by us. */
const REST = 4;
/** How long a signal's sender is made to wait for a pass that is at work; it then goes on without us. */
const HURRIED_WAIT_MS = 2000;

export class AsItGoes {
  readonly committed: { readonly commit: string; readonly plan: string }[] = [];
  readonly #options: AsItGoesOptions;
  readonly #ending = new AbortController();
  readonly #leaving = new AbortController();
  readonly #told = new Set<string>();
  /** The newest capture of an operation's end that was heard of, and up to which one a pass has looked. */
  #heardSeq = 0;
  /** An operation has ended whose capture is not heard of yet. */
  #hasEnded = false;
  #lookedSeq = 0;
  #work: Promise<void> | null = null;
  /** The last failure's record on its way: whoever waits for the end may read it (T1). */
  #noting: Promise<unknown> = Promise.resolve();

  constructor(options: AsItGoesOptions) {
    this.#options = options;
  }

  hear(record: StoredRecord): void {
    if (isWaitedEnd(record)) this.#hasEnded = true;
    // An end is not enough: without a capture right after it nobody can tell what belongs to it (DESIGN 8).
    if (!this.#hasEnded || record.kind !== "capture.taken" || record.body.reason !== "operation-end") return;
    this.#hasEnded = false;
    this.#heardSeq = Math.max(this.#heardSeq, record.seq);
    if (!this.#ending.signal.aborted) this.#work ??= this.#untilDone();
  }

  /** The agent is over and everything it left is captured: what ended last is looked at, unless somebody is in a hurry. */
  async end(how: { readonly isHurried: boolean }): Promise<void> {
    await this.#toItsEnd(how);
    await this.#noting;
  }

  async #toItsEnd({ isHurried }: { readonly isHurried: boolean }): Promise<void> {
    this.#ending.abort();
    if (isHurried) {
      const waited = this.#options.store.clock.sleep(HURRIED_WAIT_MS, this.#leaving.signal);
      await Promise.race([this.#work, waited.catch(() => undefined)]); // called off right below
      this.#leaving.abort();
      await this.#work;
      return;
    }
    await this.#work;
    const endSeq = await this.#lastEnd().catch((thrown: unknown) => {
      this.#fail(null, ensureError(thrown).message);
      return 0;
    });
    if (endSeq > this.#lookedSeq) await this.#passes();
  }

  async #untilDone(): Promise<void> {
    const { clock } = this.#options.store;
    const { signal } = this.#ending;
    while (this.#heardSeq > this.#lookedSeq && !signal.aborted) {
      const beganMs = clock.monotonicMs();
      await this.#passes();
      const restMs = (clock.monotonicMs() - beganMs) * REST;
      await clock.sleep(restMs, signal).catch(() => undefined); // its end was called off: the agent is over
    }
    this.#work = null;
  }

  /** One pass, and more where something was only in the way. */
  async #passes(): Promise<void> {
    const { store, pass } = this.#options;
    for (let tries = 1; ; tries++) {
      this.#lookedSeq = Math.max(this.#lookedSeq, this.#heardSeq);
      const outcome = await pass(this.#leaving.signal).catch(
        (thrown: unknown): CommitPass => ({
          kind: "failed",
          code: null,
          message: ensureError(thrown).message,
        }),
      );
      if (outcome.kind === "committed") this.#committed(outcome);
      if (outcome.kind !== "failed") return;
      const { code, message } = outcome;
      if (code === null || !PASSING.has(code) || tries >= MAX_TRIES) return this.#fail(code, message);
      const isOver = await store.clock.sleep(TRY_AGAIN_MS, this.#leaving.signal).then(
        () => false,
        () => true,
      );
      if (isOver) return this.#fail(code, message);
    }
  }

  #committed({ commit, plan }: { readonly commit: string; readonly plan: string }): void {
    this.committed.push({ commit, plan });
    this.#told.clear();
  }

  /** Once for each cause, until something was committed again. */
  #fail(code: string | null, message: string): void {
    const { journal, tell } = this.#options;
    const cause = code ?? message;
    if (this.#told.has(cause)) return;
    this.#told.add(cause);
    tell(`not committed as it went: ${message}`);
    this.#noting = journal.write(journal.record("operations.not-committed", { code, message }));
  }

  /** Where the newest operation ended whose end says something; 0: none. */
  async #lastEnd(): Promise<number> {
    const { store, journal } = this.#options;
    const records = await store.records({
      session: journal.session,
      kinds: ["operation.ended"],
      order: "backward",
    });
    return records.find(isWaitedEnd)?.seq ?? 0;
  }
}

/** Not aborted, and not read in what the agent printed while it went on (T2). */
function isWaitedEnd(record: StoredRecord): boolean {
  const ended = bodyAs(record, "operation.ended");
  return ended !== null && !ended.aborted && ended.from !== FROM_STDOUT;
}
