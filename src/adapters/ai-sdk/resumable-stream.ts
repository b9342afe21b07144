/**
 * A stream of text (the AI SDK's server-sent events) that outlives its reader: it is read to its end whoever listens, kept as it goes,
 * and a reader that comes again gets all of it and then what comes. The functions are those of the package `resumable-stream`,
 * which keeps streams in Redis; here they lie in the store, also after their process is gone.
 */
import { z } from "zod";
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { Session } from "../../conversation/session.ts";
import type { StoredRecord } from "../../model/record.ts";
import { every } from "../../platform/clock.ts";
import { HeldSessions, type HoldOptions } from "../shared/held-sessions.ts";
import { sessionIdFor } from "../shared/session-id.ts";

const PREFIX = "ai-sdk-stream";
const CHUNK = "ai-sdk.chunk";
const END = "ai-sdk.stream-ended";
const PIECE = z.looseObject({ text: z.string() });
const ENDING = z.looseObject({ error: z.string().nullable() });

/** What a kill costs at most of what was streamed; a reader elsewhere is this far behind. */
const FLUSH_MS = 100;
const FLUSH_CHARS = 16 * 1024;
/** Whether whoever writes still lives is asked this often while nothing comes. */
const LOOK_MS = 1000;

export interface ResumableStreams {
  /** Begins it with what `makeStream` gives, or joins it where it was begun; null: it is over. */
  resumableStream(
    id: string,
    makeStream: () => ReadableStream<string>,
    skip?: number,
  ): Promise<ReadableStream<string> | null>;
  /** Begins it. What is returned may be left unread: it is kept all the same. */
  createNewResumableStream(
    id: string,
    makeStream: () => ReadableStream<string>,
  ): Promise<ReadableStream<string>>;
  /** From its beginning (or after so many characters) to its end; undefined: there is none; null: it is over. */
  resumeExistingStream(id: string, skip?: number): Promise<ReadableStream<string> | null | undefined>;
  /** null: there is none. */
  hasExistingStream(id: string): Promise<null | true | "DONE">;
  close(): Promise<void>;
}

export interface ResumableStreamOptions extends Partial<HoldOptions> {
  readonly prefix?: string;
}

export function createResumableStreamContext(
  store: RefloatStore,
  { prefix = PREFIX, ...hold }: ResumableStreamOptions = {},
): ResumableStreams {
  const held = new HeldSessions(store, { agent: "ai-sdk", workspace: "ai-sdk", ...hold });
  const running = new Set<Promise<void>>();
  const sessionOf = (id: string): string => sessionIdFor(prefix, id);

  const streams: ResumableStreams = {
    resumableStream: async (id, makeStream, skip) => {
      const joined = await streams.resumeExistingStream(id, skip);
      return joined === undefined ? streams.createNewResumableStream(id, makeStream) : joined;
    },
    createNewResumableStream: async (id, makeStream) => {
      const [kept, given] = makeStream().tee();
      const session = sessionOf(id);
      await held.use(session, id, async () => undefined); // there, and ours, before anybody is told of it
      // In use to its end: a claim given back while the model thinks would tell readers that its writer is gone.
      const isKept = held.use(session, id, (open) => keep(open, kept));
      const keeping = isKept.then(() => held.release(session)).finally(() => running.delete(keeping));
      running.add(keeping);
      keeping.catch(() => undefined); // whoever reads the other half has its error; `close` throws it, too
      // Who has read it to its end may ask for it at once, and is told that it is over.
      const flush = (): Promise<void> => isKept.catch(() => undefined);
      return given.pipeThrough(new TransformStream<string, string>({ flush }));
    },
    resumeExistingStream: async (id, skip = 0) => {
      const there = await streams.hasExistingStream(id);
      if (there === null) return undefined;
      return there === "DONE" ? null : following(store, sessionOf(id), skip);
    },
    hasExistingStream: async (id) => {
      const [summary] = await exactly(store, sessionOf(id));
      if (!summary) return null;
      const ended = store.records(sessionOf(id), { kinds: [END], order: "backward", pageRows: 1 });
      return (await ended.next()).done ? true : "DONE";
    },
    close: async () => {
      await Promise.all(running);
      await held.close();
    },
  };
  return streams;
}

/** Reads a stream to its end and keeps it as it goes. A stream that fails ends for its readers, and says how. */
async function keep(session: Session, stream: ReadableStream<string>): Promise<void> {
  let waiting = "";
  let flushed: Promise<unknown> = Promise.resolve();
  const flush = (): void => {
    if (waiting === "") return;
    const text = waiting;
    waiting = "";
    flushed = flushed.then(() => session.record(CHUNK, { text }));
    flushed.catch(() => undefined); // awaited below
  };
  const timer = every(FLUSH_MS, flush);
  let error: string | null = null;
  try {
    for await (const text of stream) {
      waiting += text;
      if (waiting.length >= FLUSH_CHARS) flush();
    }
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    timer.stop();
    flush();
  }
  await flushed;
  await session.record(END, { error });
}

/** What was kept, then what comes; it ends as it ended, or when whoever wrote it is gone. */
function following(store: RefloatStore, session: string, skip: number): ReadableStream<string> {
  const over = new AbortController();
  let left = skip;
  const timer = every(LOOK_MS, () => {
    void exactly(store, session).then(
      ([summary]) => {
        if (summary?.state !== "live") over.abort();
      },
      () => undefined,
    ); // the store is asked again by the follower itself
  });
  const records = followed(store, session, over.signal);
  const stop = async (): Promise<void> => {
    timer.stop();
    over.abort();
    await records.return(undefined);
  };
  return new ReadableStream<string>({
    async pull(controller) {
      for (;;) {
        const next = await records.next();
        if (next.done || next.value.kind === END) {
          const error = next.done ? null : (ENDING.safeParse(next.value.body).data?.error ?? null);
          if (error === null) controller.close();
          else controller.error(new Error(error));
          return stop();
        }
        const text = next.value.kind === CHUNK ? (PIECE.safeParse(next.value.body).data?.text ?? "") : "";
        const rest = text.slice(left);
        left = Math.max(0, left - text.length);
        if (rest !== "") return controller.enqueue(rest);
      }
    },
    cancel: stop,
  });
}

/** Called off, it still has what was there by then: a slow reader is not behind for being slow. */
async function* followed(
  store: RefloatStore,
  session: string,
  over: AbortSignal,
): AsyncGenerator<StoredRecord> {
  let next = 1;
  for await (const record of store.follow(session, next, over)) {
    next = record.seq + 1;
    yield record;
  }
  yield* store.records(session, { fromSeq: next });
}

/** A prefix may fit others' ids, too. */
async function exactly(store: RefloatStore, session: string) {
  const found = await store.sessions({ prefix: session });
  return found.filter(({ id }) => id === session);
}
