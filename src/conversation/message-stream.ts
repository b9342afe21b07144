/**
 * A message that is written while it is made (C3). It has one id; what was written is flushed to the store
 * in bounded steps (by time and by size, whichever comes first), each flush holding only what came since the
 * last one: 500 deltas are a handful of records and one message. A kill loses at most the last flush interval.
 */
import { RefloatError } from "../model/errors.ts";
import { MAX_STREAM_BYTES, STREAM_FLUSH_BYTES, STREAM_FLUSH_INTERVAL_MS } from "../model/limits.ts";
import { isText, type Part, type Role } from "../model/parts.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { randomId } from "../platform/random.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionJournal } from "./session-journal.ts";

export class MessageStream {
  readonly id: string;
  readonly #journal: SessionJournal;
  readonly #opened: Promise<unknown>;
  #pending: Part[] = [];
  #pendingBytes = 0;
  #totalBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();
  #failure: unknown = null;
  #isEnded = false;

  constructor(journal: SessionJournal, turn: string, role: Role, id: string = randomId()) {
    this.id = id;
    this.#journal = journal;
    this.#opened = journal.append([
      newRecord(journal.clock, "message.opened", { message: id, turn, role }, `message:${id}`),
    ]);
    // Nobody may be waiting yet: the failure is handed to the next `flushed` or `end`.
    this.#opened.catch((thrown: unknown) => this.#fail(thrown));
  }

  /** Adds to the message: text, or a part. Returns at once; throws when an earlier flush failed. */
  write(delta: string | Part): void {
    if (this.#isEnded) throw new RefloatError("E_CLOSED", { what: "message" });
    if (this.#failure) throw this.#failure;
    const part: Part = typeof delta === "string" ? { type: "text", text: delta } : delta;
    const bytes = sizeOf(part);
    this.#totalBytes += bytes;
    if (this.#totalBytes > MAX_STREAM_BYTES) {
      throw new RefloatError("E_TOO_LARGE", {
        what: "The streamed message",
        bytes: this.#totalBytes,
        limit: MAX_STREAM_BYTES,
      });
    }
    this.#addPending(part);
    this.#pendingBytes += bytes;
    if (this.#pendingBytes >= STREAM_FLUSH_BYTES) this.#flushSoon(0);
    else if (!this.#timer) this.#flushSoon(STREAM_FLUSH_INTERVAL_MS);
  }

  /** Everything written so far is on disk when it resolves. */
  async flushed(): Promise<void> {
    this.#flush();
    await this.#flushing;
    if (this.#failure) throw this.#failure;
  }

  /** The last of it and the end, in one record: durable when it resolves. */
  end(): Promise<void> {
    return this.#end("final");
  }

  /** Ends it where it stands: what was written is kept and marked cut off. */
  cutOff(): Promise<void> {
    return this.#end("cut-off");
  }

  async #end(state: "final" | "cut-off"): Promise<void> {
    if (this.#isEnded) throw new RefloatError("E_CLOSED", { what: "message" });
    this.#isEnded = true;
    this.#stopTimer();
    await this.#opened;
    await this.#flushing;
    if (this.#failure) throw this.#failure;
    const parts = this.#takePending();
    await this.#journal.append([
      newRecord(
        this.#journal.clock,
        "message.ended",
        { message: this.id, state, parts },
        `message-end:${this.id}`,
      ),
    ]);
  }

  #flushSoon(ms: number): void {
    this.#stopTimer();
    this.#timer = setTimeout(() => this.#flush(), ms);
    this.#timer.unref(); // a stream alone does not keep a process alive; `end` does
  }

  #flush(): void {
    this.#stopTimer();
    const parts = this.#takePending();
    if (parts.length === 0 || this.#failure) return;
    this.#flushing = this.#flushing
      .then(() => this.#writeFlush(parts))
      .catch((thrown: unknown) => this.#fail(thrown));
  }

  async #writeFlush(parts: Part[]): Promise<void> {
    await this.#opened;
    crashPoint("stream.before-flush");
    await this.#journal.append([newRecord(this.#journal.clock, "message.grew", { message: this.id, parts })]);
    crashPoint("stream.after-flush");
  }

  #fail(thrown: unknown): void {
    this.#failure ??= thrown;
  }

  #addPending(part: Part): void {
    const last = this.#pending.at(-1);
    if (last && isText(last) && isText(part))
      this.#pending[this.#pending.length - 1] = { ...last, text: last.text + part.text };
    else this.#pending.push(part);
  }

  #takePending(): Part[] {
    const parts = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    return parts;
  }

  #stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function sizeOf(part: Part): number {
  return isText(part) ? Buffer.byteLength(part.text) : Buffer.byteLength(JSON.stringify(part));
}
