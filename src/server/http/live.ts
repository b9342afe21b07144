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
  readonly data: unknown;
}

/** JSON has no line breaks in it: an event is never more than its lines. */
const eventText = ({ event, id, data }: SentEvent): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;

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
      return eventText({ event: isNews ? "changed" : "hello", id: idOf(now), data: {} });
    }
    if (bell.count() === told) await bell.wait(told, HTTP_BEAT_MS, stop.signal);
    if (stop.signal.aborted) return null;
    if (bell.count() === told) return BEAT;
    told = bell.count();
    return eventText({ event: "changed", id: idOf(told), data: {} });
  }, stop);
}

/** Records that are read at once. */
const PAGE_RECORDS = 50;
/** What is sent at once: so much lies in memory for a page that does not read. */
const CHUNK_CHARS = 32 * 1024;

export interface RecordFeed {
  /** Events of the records from this one on, and the last of them; null: there are none yet. */
  from(
    records: SessionRecords,
    seq: number,
  ): Promise<{ readonly text: string; readonly last: number } | null>;
}

/**
 * Two hundred pages that follow one session are sent the same: what is new is read, freed of its secrets and written out once, and kept for
 * those that ask a little later, up to a bound for all sessions together (T5).
 */
export function recordFeed(maxBytes: number): RecordFeed {
  const kept = new Map<string, string>();
  const reading = new Map<string, Promise<number>>();
  let bytes = 0;
  const keep = (key: string, text: string): void => {
    if (kept.has(key)) return;
    kept.set(key, text);
    bytes += text.length;
    for (const [oldest, gone] of kept) {
      if (bytes <= maxBytes || oldest === key) break;
      kept.delete(oldest);
      bytes -= gone.length;
    }
  };
  const read = async ({ session, page }: SessionRecords, seq: number): Promise<number> => {
    const { records } = await page(seq, PAGE_RECORDS);
    for (const one of records)
      keep(`${session} ${one.seq}`, eventText({ event: "record", id: String(one.seq), data: one }));
    return records.length;
  };
  const readOnce = (records: SessionRecords, seq: number): Promise<number> => {
    const key = `${records.session} ${seq}`;
    const mine = reading.get(key) ?? read(records, seq).finally(() => reading.delete(key));
    reading.set(key, mine);
    return mine;
  };
  const known = (session: string, seq: number): { text: string; last: number } | null => {
    const texts: string[] = [];
    let length = 0;
    for (let text = kept.get(`${session} ${seq}`); text !== undefined && length < CHUNK_CHARS; ) {
      texts.push(text);
      length += text.length;
      text = kept.get(`${session} ${seq + texts.length}`);
    }
    return texts.length === 0 ? null : { text: texts.join(""), last: seq + texts.length - 1 };
  };
  return {
    from: async (records, seq) => {
      const found = known(records.session, seq);
      if (found) return found;
      // What was read may be gone again before it is sent, where the bound is that small: it is read once more then.
      while ((await readOnce(records, seq)) > 0) {
        const now = known(records.session, seq);
        if (now) return now;
      }
      return null;
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
  return pulled(async () => {
    for (;;) {
      const since = bell.count();
      const found = await feed.from(records, last + 1);
      if (found) {
        last = found.last;
        return found.text;
      }
      await bell.wait(since, HTTP_BEAT_MS, stop.signal);
      if (stop.signal.aborted) return null;
      if (bell.count() === since) return BEAT;
    }
  }, stop);
}
