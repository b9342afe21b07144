/**
 * A message that is written while it is made (C3). It has one id; what was written is flushed to the store
 * in bounded steps (by time and by size, whichever comes first), each flush holding only what came since the
 * last one: 500 deltas are a handful of records and one message. A kill loses at most the last flush interval.
 *
 * A record that could not be saved (D6: a full disk) stays first in line: `write` throws what went wrong,
 * `flushed` and `end` try again. The same record goes out again, so a save whose answer got lost is no second one (D4).
 *
 * It lives in its turn. The turn's end takes along what is not on disk yet and cuts the message off there (`handOver`); from
 * then on it takes nothing, and the store refuses it besides: what a model has read must not grow behind its back (C5).
 */
import { RefloatError } from "../model/errors.ts";
import { encodeJson } from "../model/json.ts";
import { MAX_STREAM_BYTES, STREAM_FLUSH_BYTES, STREAM_FLUSH_INTERVAL_MS } from "../model/limits.ts";
import {
  appendPart,
  givenPart,
  type Part,
  type PartInput,
  part as partSchema,
  type Role,
  readParts,
} from "../model/parts.ts";
import type { NewRecord } from "../model/record.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { randomId } from "../platform/random.ts";
import { factId, newRecord } from "../session/new-record.ts";
import { LiveCount, type LivePiece } from "./live-piece.ts";
import type { SessionJournal } from "./session-journal.ts";

export class MessageStream {
  readonly id: string;
  readonly turn: string;
  readonly #journal: SessionJournal;
  /** Records on their way, oldest first; one leaves when it is on disk. */
  readonly #unsaved: NewRecord[] = [];
  #pending: Part[] = [];
  #pendingBytes = 0;
  #totalBytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #saving: Promise<void> = Promise.resolve();
  #failure: unknown = null;
  #end: NewRecord | null = null;
  /** The end that its turn's end takes along: it goes out with that, never by itself. */
  #handed: NewRecord | null = null;
  #isEnded = false;
  #isOnDisk = false;
  /** Its turn is over, or ending. */
  #isTaken = false;
  readonly #role: Role;
  readonly #written = new LiveCount();
  readonly #onDisk = new LiveCount();

  constructor(journal: SessionJournal, turn: string, role: Role, id: string = randomId()) {
    this.id = id;
    this.turn = turn;
    this.#role = role;
    this.#journal = journal;
    journal.streams.add(this);
    const body = { message: id, turn, role };
    this.#unsaved.push(newRecord(journal.clock, "message.opened", body, factId("message", id)));
    this.#save();
  }

  /** Adds to the message: text, or a part. Returns at once; throws when an earlier flush failed. */
  write(delta: string | PartInput | Part): void {
    if (this.#isTaken) throw this.#turnIsOver();
    if (this.#isEnded || this.#end) throw new RefloatError("E_CLOSED", { what: "message" });
    if (this.#failure) throw this.#failure;
    const part: Part = typeof delta === "string" ? { type: "text", text: delta } : givenPart(delta);
    const bytes = typeof delta === "string" ? Buffer.byteLength(delta) : sizeOf(part);
    if (this.#totalBytes + bytes > MAX_STREAM_BYTES) {
      const what = "The streamed message";
      throw new RefloatError("E_TOO_LARGE", {
        what,
        bytes: this.#totalBytes + bytes,
        limit: MAX_STREAM_BYTES,
      });
    }
    this.#totalBytes += bytes;
    this.#pendingBytes += bytes;
    appendPart(this.#pending, part);
    const piece = this.#written.add(part);
    if (piece) for (const hear of this.#journal.hearLive) hear(this.#live(piece));
    // At once, not by a timer: writes that never pause would put it off for ever.
    if (this.#pendingBytes >= STREAM_FLUSH_BYTES) this.#flush();
    else this.#timer ??= this.#flushLater();
  }

  tail(): readonly LivePiece[] {
    const count = new LiveCount(this.#onDisk);
    const parts = [...this.#unsaved.flatMap(({ body }) => readParts(body.parts)), ...this.#pending];
    return parts.flatMap((part) => count.add(part) ?? []).map((piece) => this.#live(piece));
  }

  #live(piece: Pick<LivePiece, "type" | "at" | "text">): LivePiece {
    return { message: this.id, turn: this.turn, role: this.#role, ...piece, isOpened: this.#isOnDisk };
  }

  /** Everything written so far is on disk when it resolves. */
  async flushed(): Promise<void> {
    if (this.#isTaken) throw this.#turnIsOver();
    this.#flush();
    await this.#saved();
  }

  /** The last of it and the end, in one record: durable when it resolves. */
  end(): Promise<void> {
    return this.#close("final");
  }

  /** Ends it where it stands: what was written is kept and marked cut off. */
  async cutOff(): Promise<void> {
    // Its turn's end did that: it is on disk.
    if (this.#handed && this.#isEnded) return;
    await this.#close("cut-off");
  }

  /** For its turn's end: what belongs on disk before it, this message's own end included. The same again until `ended`. */
  async handOver(): Promise<readonly NewRecord[]> {
    this.#isTaken = true;
    if (!this.#end) this.#handed = this.#ending("cut-off");
    await this.#saving;
    if (this.#isEnded) return [];
    if (this.#failure === null || isOfTheStore(this.#failure)) return [...this.#unsaved];
    // Refused for ever: a message that never came to be has no end.
    return this.#isOnDisk ? [this.#ending("cut-off")] : [];
  }

  /** Its turn has ended, and what it handed over is on disk with that. */
  ended(): void {
    this.#unsaved.length = 0;
    this.#isEnded = true;
    this.#journal.streams.delete(this);
  }

  async #close(state: "final" | "cut-off"): Promise<void> {
    if (this.#isTaken) throw this.#turnIsOver();
    if (this.#isEnded) throw new RefloatError("E_CLOSED", { what: "message" });
    this.#ending(state);
    await this.#saved();
    this.ended();
  }

  #ending(state: "final" | "cut-off"): NewRecord {
    this.#stopTimer();
    if (this.#end) return this.#end;
    const body = { message: this.id, turn: this.turn, state, parts: this.#takePending() };
    this.#end = newRecord(this.#journal.clock, "message.ended", body, factId("message-end", this.id));
    this.#unsaved.push(this.#end);
    return this.#end;
  }

  #turnIsOver(): RefloatError {
    return new RefloatError("E_NOT_OPEN", { session: this.#journal.session, what: "turn", id: this.turn });
  }

  #flushLater(): NodeJS.Timeout {
    const timer = setTimeout(() => this.#flush(), STREAM_FLUSH_INTERVAL_MS);
    timer.unref(); // a stream alone does not keep a process alive; `end` does
    return timer;
  }

  #flush(): void {
    this.#stopTimer();
    const parts = this.#takePending();
    if (parts.length === 0) return;
    this.#unsaved.push(
      newRecord(this.#journal.clock, "message.grew", { message: this.id, turn: this.turn, parts }),
    );
    if (!this.#failure) this.#save();
  }

  /** Tries again what failed before, then waits for everything; throws when it fails still. */
  async #saved(): Promise<void> {
    this.#failure = null;
    this.#save();
    await this.#saving;
    if (this.#failure) throw this.#failure;
  }

  /** One save at a time, in order. A failure is kept for whoever writes, flushes or ends next. */
  #save(): void {
    this.#saving = this.#saving
      .then(() => this.#saveAll())
      .catch((thrown: unknown) => {
        this.#failure = thrown;
        if (!this.#isOnDisk && !isOfTheStore(thrown)) this.#journal.streams.delete(this); // it will never be
      });
  }

  async #saveAll(): Promise<void> {
    for (let next = this.#unsaved[0]; this.#mayBeSaved(next); next = this.#unsaved[0]) {
      if (next.kind === "message.grew") crashPoint("stream.before-flush");
      await this.#journal.append([next]);
      if (next.kind === "message.grew") crashPoint("stream.after-flush");
      if (next.kind === "message.opened") this.#isOnDisk = true;
      for (const part of readParts(next.body.parts)) this.#onDisk.add(part);
      this.#unsaved.shift();
    }
  }

  #mayBeSaved(next: NewRecord | undefined): next is NewRecord {
    return next !== undefined && this.#failure === null && next !== this.#handed;
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

/** It may be over the next time (D6). */
const isOfTheStore = (thrown: unknown): boolean =>
  thrown instanceof RefloatError && thrown.code.startsWith("E_STORE_");

/** Refuses what could never be saved before it is among what must be. */
function sizeOf(part: Part): number {
  const parsed = partSchema.safeParse(part);
  if (!parsed.success) {
    const why = "a part needs a type";
    throw new RefloatError("E_BAD_RECORD", { kind: "message.grew", why }, parsed.error);
  }
  return Buffer.byteLength(encodeJson(part));
}
