/**
 * Everything a store in Postgres writes. One statement is one commit group (driver 1): `append_2` in the database gives the
 * sequence numbers, checks the fence and inserts (append-sql.ts), so a client that dies at any instant leaves neither half a
 * change nor a lock.
 *
 * What is on the server's disk after each step of `commit`:
 *   1. sent                      nothing; the group may or may not arrive
 *   2. the function has run      nothing that counts: rows of a transaction that is not committed
 *   3. committed                 the server's log is synced, then and only then is it visible and answered (D1)
 *   4. acknowledged              as 3. When the answer is lost between 3 and 4, the group is sent again, and
 *                                record ids turn the second time into a repeat (D4)
 */
import { crashPoint } from "../../platform/crash-point.ts";
import type {
  Candidate,
  ChangeOutcome,
  Chunk,
  ContentRow,
  DeleteChange,
  DeleteOutcome,
  FirstOutcome,
  ForgetChange,
  GcResult,
  SessionChange,
  StoreChange,
} from "../contract/driver.ts";
import type { CommitSignal } from "./commit-signal.ts";
import { putChunks, replaceChunk } from "./contents.ts";
import { deleteSessionRows } from "./delete-session-rows.ts";
import { requireSync } from "./engine.ts";
import { forgetRecords } from "./forget.ts";
import { encodeChange, encodeGroup, firstAnswer, groupAnswer, placeOutcomes } from "./group.ts";
import type { Wire } from "./wire.ts";

export interface GroupWriterOptions {
  readonly schema: string;
  /** Of groups alone. */
  readonly writing: Wire;
  /** Of contents, which need no order. */
  readonly contents: Wire;
  readonly signal: CommitSignal;
  /** A server with fsync=off is taken all the same. */
  readonly allowUnsafeServer: boolean;
}

const PUT: ChangeOutcome = { kind: "done", seqs: [], head: 0, attempt: 0, isRepeat: false };

export class GroupWriter {
  readonly #options: GroupWriterOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: GroupWriterOptions) {
    this.#options = options;
  }

  commit(group: readonly StoreChange[]): Promise<readonly ChangeOutcome[]> {
    return this.#inTurn(() => this.#commitAll(group));
  }

  commitFirst(candidates: readonly Candidate[]): Promise<FirstOutcome> {
    return this.#inTurn(() => this.#commitFirst(candidates));
  }

  async #commitFirst(candidates: readonly Candidate[]): Promise<FirstOutcome> {
    if (candidates.length === 0) return { kind: "none", isBusy: false };
    const { writing, schema, signal } = this.#options;
    crashPoint("append.before-begin");
    const text = JSON.stringify(candidates.map((changes) => changes.map(encodeChange)));
    const rows = await writing.ask(`SELECT ${schema}.first_1($1) AS answer`, [text], { isWrite: true });
    const answer = firstAnswer.parse(rows[0]?.answer);
    if (answer.place === null) return { kind: "none", isBusy: answer.busy };
    crashPoint("take.after-commit");
    this.#acknowledge(answer.fsync);
    const made = candidates[answer.place] ?? [];
    signal.committed(new Set(made.map(({ session }) => session)));
    return { kind: "done", place: answer.place, outcomes: answer.outcomes };
  }

  forget(change: ForgetChange): Promise<GcResult> {
    const { writing, signal } = this.#options;
    return this.#inTurn(async () => {
      const result = await forgetRecords(writing, change);
      signal.committed([change.session]);
      return result;
    });
  }

  deleteSession(change: DeleteChange): Promise<DeleteOutcome> {
    const { writing, signal } = this.#options;
    return this.#inTurn(async () => {
      const outcome = await deleteSessionRows(writing, change);
      signal.committed([change.session]);
      return outcome;
    });
  }

  async replaceChunk(chunk: Chunk): Promise<void> {
    this.#acknowledge(await replaceChunk(this.#options.contents, chunk));
  }

  async putChunks(chunks: readonly Chunk[], content: ContentRow | null, nowMs: number): Promise<void> {
    this.#acknowledge(await putChunks(this.#options.contents, chunks, content, nowMs));
  }

  /** One statement each, and none before the last one counts: whoever names them waits for all of them. */
  async putWhole(contents: readonly Chunk[], nowMs: number): Promise<void> {
    for (const content of contents) {
      const bytes = content.bytes.byteLength;
      const chunks = bytes === 0 ? [] : [content];
      const row = { hash: content.hash, bytes, chunks: chunks.map(({ hash }) => hash) };
      await this.putChunks(chunks, row, nowMs);
    }
  }

  /** When everything that was asked for has its answer. */
  async idle(): Promise<void> {
    await this.#last;
  }

  /** One after the other, in the order they were asked for: sent at once, a broken connection could swap two. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined); // its caller has the error; the next commit is another matter
    return result;
  }

  /** Contents first, each on disk before the records of the group are sent. */
  async #commitAll(group: readonly StoreChange[]): Promise<readonly ChangeOutcome[]> {
    for (const change of group) if (change.kind === "put") await this.putWhole(change.contents, change.nowMs);
    const outcomes = [...(await this.#commitSessions(group.filter((change) => change.kind !== "put")))];
    return group.map((change) => (change.kind === "put" ? PUT : (outcomes.shift() as ChangeOutcome)));
  }

  async #commitSessions(group: readonly SessionChange[]): Promise<readonly ChangeOutcome[]> {
    if (group.length === 0) return [];
    const { writing, schema, signal } = this.#options;
    const encoded = encodeGroup(group);
    crashPoint("append.before-begin");
    const rows = await writing.ask(`SELECT ${schema}.append_2($1) AS answer`, [encoded.text], {
      isWrite: true,
    });
    const { outcomes, fsync } = groupAnswer.parse(rows[0]?.answer);
    crashPoint("append.after-commit");
    if (group.some((change) => change.kind === "take")) crashPoint("take.after-commit");
    this.#acknowledge(fsync);
    // A heartbeat is no news.
    signal.committed(new Set(group.filter(({ kind }) => kind !== "renew").map(({ session }) => session)));
    return placeOutcomes(encoded, outcomes);
  }

  #acknowledge(fsync: string): void {
    if (!this.#options.allowUnsafeServer) requireSync(fsync);
  }
}
