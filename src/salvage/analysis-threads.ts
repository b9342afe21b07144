/**
 * Files looked into by several threads, this one among them: parsing them is most of a first look (P10). What another finds
 * out is what would be found out here, and what all others have enough of, or do not answer, because they cannot be started,
 * run out of memory or die, is done here. A few files are not worth the start of a thread.
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { errnoOf } from "../platform/io-error.ts";
import { builtFile } from "../platform/own-files.ts";
import type { Analysis, Made } from "../triage/analysis.ts";

/** The bytes of one file, or with `before` those on both sides of a change. */
export interface AnalysisOrder {
  readonly id: number;
  readonly path: string;
  readonly before?: Uint8Array | null;
  readonly after: Uint8Array;
}

export interface AnalysisReply {
  readonly id: number;
  /** Null: it failed. */
  readonly text: string | null;
}

export interface AnalysisThreads extends Analysis {
  close(): Promise<void>;
}

/** Files that are looked into here first: a thread takes as long to start as these. */
const FIRST_HERE = 60;
/** Beside this one. More gain little: each begins cold, takes 70 MB, and what reads and follows references is here alone. */
const MAX_THREADS = 2;
/** So many wait for each thread, so that it never waits for us; what comes then is done here. */
const QUEUED_PER_THREAD = 4;
/** Of more files than this, what is found out takes the memory that threads would need (10,000 files, 400 MB). */
const MAX_FILES = 2000;
/** The tree of the largest file that is parsed; one that needs more is left to this thread, which has more. */
const MAX_HEAP_MB = 256;

export interface ThreadsOptions {
  /** How many files there are to look into. */
  readonly files: number;
  readonly threads?: number;
  readonly file?: URL;
}

export function analysisThreads(here: Analysis, options: ThreadsOptions): AnalysisThreads {
  const { threads = Math.min(availableParallelism() - 1, MAX_THREADS) } = options;
  const file = options.file ?? builtFile("salvage/analysis-worker.js");
  const isThreaded = threads > 0 && options.files <= MAX_FILES && existsSync(file);
  let asked = 0;
  let team: Thread[] | null = null;
  const elsewhere = async <T>(order: Omit<AnalysisOrder, "id">): Promise<Made<T> | null> => {
    const id = asked++;
    if (!isThreaded || id < FIRST_HERE) return null;
    team ??= Array.from({ length: threads }, () => startThread(file));
    // What others answered is heard between two files of ours: else they would wait for us with empty hands.
    await setImmediate();
    const free = team.toSorted((a, b) => a.waiting() - b.waiting())[0];
    if (!free || free.waiting() >= QUEUED_PER_THREAD) return null;
    const text = await free.ask({ ...order, id });
    return text === null ? null : { value: JSON.parse(text) as T, text };
  };
  return {
    width: (isThreaded ? threads * QUEUED_PER_THREAD : 0) + here.width,
    file: async (path, bytes) => (await elsewhere({ path, after: bytes })) ?? here.file(path, bytes),
    delta: async (path, before, after) =>
      (await elsewhere({ path, before, after })) ?? here.delta(path, before, after),
    close: async () => {
      await Promise.all((team ?? []).map((one) => one.end()));
      team = null;
    },
  };
}

interface Thread {
  waiting(): number;
  /** Null: it did not answer. */
  ask(order: AnalysisOrder): Promise<string | null>;
  end(): Promise<unknown>;
}

const NO_THREAD: Thread = {
  waiting: () => Number.POSITIVE_INFINITY,
  ask: async () => null,
  end: async () => undefined,
};

function startThread(file: URL): Thread {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
  try {
    // None of the caller's flags, as for the store's thread.
    return threadOf(new Worker(file, { execArgv: [], resourceLimits }));
  } catch (thrown) {
    // Where the machine or a limit of the user gives no thread, everything is done here.
    if (errnoOf(thrown) === "ERR_WORKER_INIT_FAILED") return NO_THREAD;
    throw thrown;
  }
}

function threadOf(worker: Worker): Thread {
  const pending = new Map<number, (text: string | null) => void>();
  let isOver = false;
  const give = (id: number, text: string | null): void => {
    const waiting = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) worker.unref();
    waiting?.(text);
  };
  const end = (): void => {
    isOver = true;
    for (const id of [...pending.keys()]) give(id, null);
  };
  worker.on("message", ({ id, text }: AnalysisReply) => give(id, text));
  worker.on("error", end);
  worker.on("exit", end);
  worker.unref();
  return {
    waiting: () => (isOver ? Number.POSITIVE_INFINITY : pending.size),
    ask: (order) => {
      if (isOver) return Promise.resolve(null);
      return new Promise((resolve) => {
        pending.set(order.id, resolve);
        worker.ref();
        const { before } = order;
        const sent = { ...order, after: copyOf(order.after), ...(before ? { before: copyOf(before) } : {}) };
        const buffers = [sent.after.buffer, ...(sent.before ? [sent.before.buffer] : [])];
        worker.postMessage(sent, buffers as ArrayBuffer[]);
      });
    },
    end: () => worker.terminate(),
  };
}

/** To be handed over whole: the bytes may be a piece of something larger, and others still need them. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
