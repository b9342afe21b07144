/**
 * Changes as they come, for pages that are open (server-sent events). A stream is read at the reader's own pace: what he has not asked for is
 * not read from the store either, so a slow page costs a number and no memory, and nothing is lost to it (T5).
 *
 *  stream 1  `changes`: that something may look different. The id counts the changes; who comes back with an old one is told at once.
 *  stream 2  `records`: a session's records in order, none left out, none twice. The id is the record's own sequence number (D3): whoever comes
 *      back, to this server or to the next, goes on after the last one he has.
 */
import type { SessionRecords } from "../../app/sessions/session-records.ts";
import { HTTP_BEAT_MS } from "../../model/limits.ts";

/** Changes, counted. */
export interface ChangeBell {
  /** Of this server; another one begins anew. */
  readonly name: string;
  count(): number;
  ring(): void;
  /** Resolves with the next ring, or after `maxMs`, or with the signal. */
  wait(since: number, maxMs: number, stop: AbortSignal): Promise<void>;
}

export function changeBell(name: string): ChangeBell {
  let rung = 0;
  const waiting = new Set<() => void>();
  return {
    name,
    count: () => rung,
    ring: () => {
      rung++;
      for (const wake of [...waiting]) wake();
    },
    wait: (since, maxMs, stop) =>
      new Promise((resolve) => {
        if (rung !== since || stop.aborted) return resolve();
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          stop.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, maxMs);
        waiting.add(done);
        stop.addEventListener("abort", done, { once: true });
      }),
  };
}

type NextChunk = () => Promise<string | null>;

/** `next`: what is to be sent, when it is there; null: that was all. Asked only when the reader wants more. */
function pulled(next: NextChunk, stop: AbortController): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const text = stop.signal.aborted ? null : await next();
        if (text === null || stop.signal.aborted) controller.close();
        else controller.enqueue(encoder.encode(text));
      },
      cancel: () => stop.abort(),
    },
    { highWaterMark: 0 },
  );
}

interface SentEvent {
  readonly event: string;
  readonly id: string;
  readonly json: string;
}

/** JSON has no line breaks in it: an event is never more than its lines. */
const eventText = ({ event, id, json }: SentEvent): string => `event: ${event}\nid: ${id}\ndata: ${json}\n\n`;

const BEAT = ": still here\n\n";

/** `last`: the id that whoever comes back saw last; null: he is new. */
export function changeStream(
  bell: ChangeBell,
  last: string | null,
  stop: AbortController,
): ReadableStream<Uint8Array> {
  const idOf = (count: number): string => `${bell.name}-${count}`;
  let told = -1;
  return pulled(async () => {
    const now = bell.count();
    if (told === -1) {
      told = now;
      const isNews = last !== null && last !== idOf(now);
      return eventText({ event: isNews ? "changed" : "hello", id: idOf(now), json: "{}" });
    }
    if (bell.count() === told) await bell.wait(told, HTTP_BEAT_MS, stop.signal);
    if (stop.signal.aborted) return null;
    if (bell.count() === told) return BEAT;
    told = bell.count();
    return eventText({ event: "changed", id: idOf(told), json: "{}" });
  }, stop);
}

/** Records that are read at once, at most. */
const PAGE_RECORDS = 50;
/** What is sent at once: so much lies in memory for a page that does not read. */
const CHUNK_CHARS = 32 * 1024;

interface FedChunk {
  readonly text: string;
  readonly last: number;
  /** As many records as fit into it: so many are worth reading next time. */
  readonly count: number;
}

export interface RecordFeed {
  /** Events of the records from this one on, at most so many; null: there are none yet. */
  from(records: SessionRecords, seq: number, limit: number): Promise<FedChunk | null>;
}

/**
 * Two hundred pages that follow one session wake together and want the same: it is read and written out once for all of them. Nothing of it is
 * kept: what was forgotten on the user's order is gone from here, too (D2).
 */
export function recordFeed(): RecordFeed {
  const reading = new Map<string, Promise<FedChunk | null>>();
  const read = async ({ written }: SessionRecords, seq: number, limit: number): Promise<FedChunk | null> => {
    const texts: string[] = [];
    let length = 0;
    for (const one of await written(seq, limit)) {
      if (length >= CHUNK_CHARS) break;
      const text = eventText({ event: "record", id: String(one.seq), json: one.text });
      texts.push(text);
      length += text.length;
    }
    const { length: count } = texts;
    return count === 0 ? null : { text: texts.join(""), last: seq + count - 1, count };
  };
  return {
    from: (records, seq, limit) => {
      const key = `${records.session} ${seq} ${limit}`;
      const mine = reading.get(key) ?? read(records, seq, limit).finally(() => reading.delete(key));
      reading.set(key, mine);
      return mine;
    },
  };
}

/** `after`: the last that whoever asks has; 0: none. */
export function recordStream(
  { bell, feed }: { readonly bell: ChangeBell; readonly feed: RecordFeed },
  records: SessionRecords,
  after: number,
  stop: AbortController,
): ReadableStream<Uint8Array> {
  let last = after;
  let limit = PAGE_RECORDS;
  return pulled(async () => {
    for (;;) {
      const since = bell.count();
      const found = await feed.from(records, last + 1, limit);
      if (found) {
        last = found.last;
        limit = Math.min(PAGE_RECORDS, found.count * 2);
        return found.text;
      }
      await bell.wait(since, HTTP_BEAT_MS, stop.signal);
      if (stop.signal.aborted) return null;
      if (bell.count() === since) return BEAT;
    }
  }, stop);
}
