/**
 * The engine of one store with what may happen to the place it lies in (D6): where it cannot be opened, it is read from a copy
 * in memory, every write is refused with the true reason, and the first write after the cause is gone goes to the store
 * itself again.
 */
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { LOCK_WAIT_MS } from "../../model/limits.ts";
import type { Clock } from "../../platform/clock.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { whyNoRoom } from "../../platform/private-file.ts";
import { jitterMs } from "../../platform/random.ts";
import { copyPrivately, makeScratchDirectory, removeScratch } from "../../platform/scratch.ts";
import { Committer } from "./committer.ts";
import { Connection } from "./connection.ts";
import { SqliteEngine } from "./engine.ts";
import { assertOnlyName } from "./held-files.ts";
import { readMark } from "./mark.ts";
import { type OpenFileOptions, openStoreFile } from "./open-file.ts";
import { StoreLocked } from "./sqlite-error.ts";

/** `follow` looks this often whether another process committed; ours wake it at once. */
const POLL_MS = 50;
/** What SQLite makes beside a store before it reads it. */
const SHARED_MEMORY_BYTES = 32 * 1024;

export interface OpenEngineOptions extends OpenFileOptions {
  readonly path: string;
  readonly clock: Clock;
  /** How long the store's lock is waited for; left out: LOCK_WAIT_MS. */
  readonly lockWaitMs?: number;
}

interface ReadyEngine {
  readonly kind: "ready";
  readonly engine: SqliteEngine;
  readonly committer: Committer;
}

type State =
  | ReadyEngine
  | {
      readonly kind: "copy";
      readonly copy: StoreCopy;
      readonly engine: SqliteEngine;
      readonly why: RefloatError;
    };

export class OpenEngine {
  readonly #options: OpenEngineOptions;
  #state: State;
  #reopening: Promise<ReadyEngine> | null = null;
  #isClosed = false;
  /** Of those who wait for a commit. */
  readonly #wakers = new Set<() => void>();

  private constructor(options: OpenEngineOptions, state: State) {
    this.#options = options;
    this.#state = state;
  }

  static async open(options: OpenEngineOptions): Promise<OpenEngine> {
    return new OpenEngine(options, await openState(options));
  }

  read<T>(work: (engine: SqliteEngine) => T): Promise<T> {
    return retryLocked(this.#options, () => work(this.#state.engine));
  }

  async write<T>(work: (engine: SqliteEngine) => T): Promise<T> {
    const ready = this.#state.kind === "ready" ? this.#state : await this.#reopenOnce();
    const result = await ready.committer.step(() => work(ready.engine));
    this.#wakeAll();
    return result;
  }

  async waitForCommit(since: number, maxMs: number): Promise<boolean> {
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + maxMs;
    const isSame = async (): Promise<boolean> => (await this.read((engine) => engine.version())) === since;
    while (!this.#isClosed && (await isSame())) {
      if (clock.monotonicMs() >= untilMs) return false;
      await this.#wakened(Math.min(POLL_MS, maxMs));
    }
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeAll();
    await closeState(this.#state);
  }

  #wakened(maxMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, maxMs);
      this.#wakers.add(wake);
    });
  }

  #wakeAll(): void {
    for (const wake of this.#wakers) wake();
  }

  #reopenOnce(): Promise<ReadyEngine> {
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = null;
    });
    return this.#reopening;
  }

  async #reopen(): Promise<ReadyEngine> {
    const opened = await openState(this.#options);
    if (opened.kind === "copy") {
      opened.copy.remove(opened.engine);
      throw opened.why;
    }
    const old = this.#state;
    this.#state = opened;
    await closeState(old);
    return opened;
  }
}

/** Whether a session is of the store at `path`, by its rows or by the mark of how far it had come. Nothing is written. */
export const isKnownIn = (path: string, session: string, clock: Clock): Promise<boolean> =>
  retryLocked({ clock }, () => {
    if (readMark(path)?.heads.has(session)) return true;
    if (sizeOf(path) === 0) return false;
    const connection = new Connection(path, { readOnly: true });
    try {
      return connection.get("SELECT 1 AS one FROM sessions WHERE id = ?", session) !== null;
    } finally {
      connection.close();
    }
  });

async function closeState(state: State): Promise<void> {
  if (state.kind === "copy") {
    state.copy.remove(state.engine);
    return;
  }
  await state.committer.close();
  state.engine.close();
}

async function openState(options: OpenEngineOptions): Promise<State> {
  return retryLocked(options, () => {
    try {
      assertOnlyName(options.path);
      const engine = new SqliteEngine(openStoreFile(options.path, options));
      engine.connection.holdFiles();
      return { kind: "ready", engine, committer: new Committer(engine, options) };
    } catch (thrown) {
      if (!(thrown instanceof RefloatError) || !isOfThePlace(thrown)) throw thrown;
      // SQLite says "I/O error" or "unable to open" when it has no room or no right to make its shared memory file.
      const why =
        (thrown.code === "E_STORE_IO" ? whyNoRoom(dirname(options.path), SHARED_MEMORY_BYTES) : null) ??
        thrown;
      const copy = openCopy(options.path, why);
      return { kind: "copy", copy, engine: new SqliteEngine(copy.connection), why };
    }
  });
}

/** The place is at fault (full, read-only, unreadable shared memory), not the store. */
function isOfThePlace(error: RefloatError): boolean {
  return error.code === "E_STORE_READ_ONLY" || error.code === "E_STORE_FULL" || error.code === "E_STORE_IO";
}

type LockPatience = Pick<OpenEngineOptions, "clock" | "lockWaitMs">;

async function retryLocked<T>({ clock, lockWaitMs = LOCK_WAIT_MS }: LockPatience, work: () => T): Promise<T> {
  const startedMs = clock.monotonicMs();
  for (;;) {
    try {
      return work();
    } catch (thrown) {
      if (!(thrown instanceof StoreLocked)) throw thrown;
      const waitedMs = clock.monotonicMs() - startedMs;
      if (waitedMs > lockWaitMs) throw new RefloatError("E_STORE_BUSY", { ms: Math.round(waitedMs) }, thrown);
    }
    await clock.sleep(jitterMs(1, 10));
  }
}

/**
 * Reading a store that cannot be opened where it lies (D6): a full disk or a read-only file system leaves
 * SQLite no room for its shared memory file, and then it cannot even read. The database and its log are
 * copied into memory (or the temporary folder) and read there; nothing is written to the original.
 */
interface StoreCopy {
  readonly connection: Connection;
  /** Closes the engine on it and removes the copy. */
  remove(engine: SqliteEngine): void;
}

/** Throws `why` when there is nothing to copy: then the store truly cannot be read. */
function openCopy(path: string, why: RefloatError): StoreCopy {
  const size = sizeOf(path);
  if (size === 0) throw why;
  const folder = makeScratchDirectory("refloat-copy-", size);
  try {
    const copyPath = join(folder, "store.db");
    copyPrivately(path, copyPath);
    if (existsSync(`${path}-wal`)) copyPrivately(`${path}-wal`, `${copyPath}-wal`);
    const connection = new Connection(copyPath);
    return {
      connection,
      remove: () => {
        connection.close();
        removeScratch(folder);
      },
    };
  } catch (thrown) {
    removeScratch(folder);
    throw thrown;
  }
}

/** 0 also when it cannot be asked: then it cannot be copied either. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return 0;
  }
}
