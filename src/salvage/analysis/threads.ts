/**
 * Files looked into by several threads, this one among them: parsing them is most of a first look (P10). What another finds
 * out is what would be found out here, and what all others have enough of, or do not answer, because they cannot be started,
 * run out of memory or die, is done here. A few files are not worth the start of a thread.
 */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { errnoOf } from "../../platform/io-error.ts";
import { builtFile } from "../../platform/own-files.ts";
import type { Analysis, AnalysisOrder } from "../../triage/facts/known/analysis.ts";

export interface SentOrder extends AnalysisOrder {
  readonly id: number;
}

export interface AnalysisReply {
  readonly id: number;
  /** Null: it failed. */
  readonly texts: string[] | null;
}

export interface AnalysisThreads extends Analysis {
  close(): Promise<void>;
}

/** Changes that are looked into here first: a thread takes as long to start as these. */
const FIRST_HERE = 20;
/** Beside this one. More gain little: each begins cold, takes 70 MB, and what reads and follows references is here alone. */
const MAX_THREADS = 2;
/** So many wait for each thread, so that it never waits for us; what comes then is done here. */
const QUEUED_PER_THREAD = 3;
/** Of more files than this, what is found out takes the memory that threads would need (10,000 files, 400 MB). */
const MAX_FILES = 2000;
/** The tree of the largest file that is parsed; one that needs more is left to this thread, which has more. */
const MAX_HEAP_MB = 256;
/** As much as a process has: what is light (parse-room.ts) is so by this measure. */
const STACK_MB = 8;

export interface ThreadsOptions {
  /** How many files there are to look into. */
  readonly files: number;
  readonly threads?: number;
  readonly file?: URL;
}

export function analysisThreads(here: Analysis, options: ThreadsOptions): AnalysisThreads {
  const { threads = Math.min(availableParallelism() - 1, MAX_THREADS) } = options;
  const file = options.file ?? builtFile("salvage/analysis/worker.js");
  const isThreaded = threads > 0 && options.files <= MAX_FILES && existsSync(file);
  let asked = 0;
  let team: Thread[] | null = null;
  const elsewhere = async (order: AnalysisOrder): Promise<string[] | null> => {
    const id = asked++;
    if (!isThreaded || id < FIRST_HERE) return null;
    team ??= Array.from({ length: threads }, () => startThread(file));
    // What others answered is heard between two files of ours: else they would wait for us with empty hands.
    await setImmediate();
    const free = team.toSorted((a, b) => a.waiting() - b.waiting())[0];
    if (!free || free.waiting() >= QUEUED_PER_THREAD) return null;
    return free.ask({ ...order, id });
  };
  return {
    width: (isThreaded ? threads * QUEUED_PER_THREAD : 0) + here.width,
    look: async (order) => (await elsewhere(order)) ?? here.look(order),
    close: async () => {
      await Promise.all((team ?? []).map((one) => one.end()));
      team = null;
    },
  };
}

interface Thread {
  waiting(): number;
  /** Null: it did not answer. */
  ask(order: SentOrder): Promise<string[] | null>;
  end(): Promise<unknown>;
}

const NO_THREAD: Thread = {
  waiting: () => Number.POSITIVE_INFINITY,
  ask: async () => null,
  end: async () => undefined,
};

function startThread(file: URL): Thread {
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB, stackSizeMb: STACK_MB };
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
  const pending = new Map<number, (texts: string[] | null) => void>();
  let isOver = false;
  const give = (id: number, texts: string[] | null): void => {
    const waiting = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) worker.unref();
    waiting?.(texts);
  };
  const end = (): void => {
    isOver = true;
    for (const id of [...pending.keys()]) give(id, null);
  };
  worker.on("message", ({ id, texts }: AnalysisReply) => give(id, texts));
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
        const [before, after] = [copyOf(order.before), copyOf(order.after)];
        const buffers = [before, after].flatMap((bytes) => (bytes ? [bytes.buffer as ArrayBuffer] : []));
        worker.postMessage({ ...order, before, after } satisfies SentOrder, buffers);
      });
    },
    end: () => worker.terminate(),
  };
}

/** To be handed over whole: the bytes may be a piece of something larger, and others still need them. */
const copyOf = (bytes: Uint8Array | null): Uint8Array | null => bytes && new Uint8Array(bytes);
