/**
 * A session for a browser, as server-sent events. Two channels in one: every record as it is on disk, with its number as the event's id,
 * so that a browser that connects again says where it was and misses nothing (D3); and what a message that is being written has got
 * since its last flush, at once and without an id, so that nobody waits for the disk to read along (C3).
 *
 * A live piece says where it belongs (`at`), and is sent only when everything before it has been: whoever puts each piece at its place
 * has the text without gaps and without doubles, whatever was cut off between. What was shown and never came to the disk is
 * taken back by the record that ends the message.
 */
import type { StoredRecord } from "../model/record.ts";
import type { FollowOptions } from "../store/follow.ts";
import type { LivePiece } from "./live-piece.ts";

/** A session handle; or, of one that another process holds, `{ follow: (seq, how) => store.follow(id, seq, how) }`: then without the live channel. */
export interface EventSourceSession {
  follow(fromSeq: number, how: FollowOptions): AsyncGenerator<StoredRecord>;
  /** The last record that is on disk. */
  readonly head?: number;
  watchLive?(listener: (piece: LivePiece) => void): () => void;
}

export interface EventStreamOptions {
  /** The first record to send; left out: all of them. `seqAfter(request.headers["last-event-id"])` for a browser that connects again. */
  readonly fromSeq?: number;
  readonly signal?: AbortSignal;
  /** A comment so often, so that nothing between takes the connection for dead; left out: 15 s. */
  readonly heartbeatMs?: number;
}

/** Proxies give up on a silent connection after half a minute or more. */
const HEARTBEAT_MS = 15_000;

export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Nginx keeps what it forwards until it has enough of it.
  "x-accel-buffering": "no",
};

/** The record after the last that a browser got, by its `Last-Event-ID`; 1: it got none. */
export function seqAfter(lastEventId: string | null | undefined): number {
  const seq = Number(lastEventId ?? 0);
  return Number.isSafeInteger(seq) && seq > 0 ? seq + 1 : 1;
}

/** Ends when the reader cancels it, the signal is aborted or the store is closed. */
export function toEventStream(
  session: EventSourceSession,
  options: EventStreamOptions = {},
): ReadableStream<Uint8Array> {
  const { fromSeq = 1, heartbeatMs = HEARTBEAT_MS } = options;
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([stop.signal, options.signal]) : stop.signal;
  const live = new LiveQueue(session.head ?? 0, fromSeq);
  const unwatch = session.watchLive?.((piece) => live.add(piece)) ?? (() => undefined);
  live.hasCome();
  const records = session.follow(fromSeq, { signal });
  let following: Promise<IteratorResult<StoredRecord>> | null = null;
  const encoder = new TextEncoder();
  const end = (): void => {
    stop.abort();
    unwatch();
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        following ??= records.next();
        const next = await firstOf(following, live, heartbeatMs);
        if (next.kind === "record") {
          following = null;
          if (next.record.done) {
            end();
            controller.close();
            return;
          }
          live.sent(next.record.value);
        }
        controller.enqueue(encoder.encode(textOf(next)));
      },
      cancel: async () => {
        end();
        await records.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

type NextEvent =
  | { readonly kind: "record"; readonly record: IteratorResult<StoredRecord> }
  | { readonly kind: "live"; readonly piece: LivePiece }
  | { readonly kind: "silence" };

/** A live piece first: the record that holds it comes after it. */
async function firstOf(
  following: Promise<IteratorResult<StoredRecord>>,
  live: LiveQueue,
  heartbeatMs: number,
): Promise<NextEvent> {
  const waiting = live.take();
  if (waiting) return { kind: "live", piece: waiting };
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<NextEvent>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "silence" }), heartbeatMs);
    timer.unref();
  });
  const record = following.then((found): NextEvent => ({ kind: "record", record: found }));
  const heard = live.next().then((): NextEvent => {
    const piece = live.take();
    return piece ? { kind: "live", piece } : { kind: "silence" };
  });
  try {
    return await Promise.race([record, heard, silence]);
  } finally {
    clearTimeout(timer);
    live.forget();
  }
}

function textOf(next: NextEvent): string {
  switch (next.kind) {
    case "record": {
      const { seq, id, kind, atMs, body } = next.record.value as StoredRecord;
      return `id: ${seq}\nevent: record\ndata: ${JSON.stringify({ seq, id, kind, atMs, body })}\n\n`;
    }
    case "live":
      return `event: live\ndata: ${JSON.stringify(next.piece)}\n\n`;
    case "silence":
      return ": still here\n\n";
    default:
      return next satisfies never;
  }
}

/**
 * Live pieces on their way to one reader. Held back until the records that were on disk when he came have been sent, and those of
 * a message until the record that opened it has: he has what comes before them. Pieces that run on from each other are one, so that a
 * slow reader costs no more than the message itself (T5).
 */
class LiveQueue {
  #pieces: LivePiece[] = [];
  /** Messages whose opening the reader has, or has had before. */
  readonly #opened = new Set<unknown>();
  readonly #until: number;
  #isHeld: boolean;
  #isComing = true;
  #wake: (() => void) | null = null;

  constructor(head: number, fromSeq: number) {
    this.#until = head;
    this.#isHeld = fromSeq <= head;
  }

  add(piece: LivePiece): void {
    if (this.#isComing && piece.isOpened) this.#opened.add(piece.message);
    const last = this.#pieces.at(-1);
    const runsOn =
      last?.message === piece.message && last.type === piece.type && last.at + last.text.length === piece.at;
    if (last && runsOn) this.#pieces[this.#pieces.length - 1] = { ...last, text: last.text + piece.text };
    else this.#pieces.push(piece);
    this.#ring();
  }

  /** He has come: what is heard from now on may be of messages he knows nothing of yet. */
  hasCome(): void {
    this.#isComing = false;
  }

  sent({ seq, kind, body }: StoredRecord): void {
    if (seq >= this.#until) this.#isHeld = false;
    if (kind === "message.opened") this.#opened.add(body.message);
    if (kind !== "message.ended") return;
    this.#opened.delete(body.message);
    this.#pieces = this.#pieces.filter(({ message }) => message !== body.message);
  }

  take(): LivePiece | null {
    const at = this.#isHeld ? -1 : this.#pieces.findIndex(({ message }) => this.#opened.has(message));
    return at < 0 ? null : (this.#pieces.splice(at, 1)[0] ?? null);
  }

  /** Until there is something to take. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  forget(): void {
    this.#wake = null;
  }

  #ring(): void {
    const isReady = !this.#isHeld && this.#pieces.some(({ message }) => this.#opened.has(message));
    if (isReady) this.#wake?.();
  }
}
