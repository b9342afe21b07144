/**
 * The SQLite driver on the thread it is opened on: the engine, the committer, and what to do when the store
 * cannot be opened in place (D6): then it is read from a copy in memory, every write is refused with the
 * true reason, and the first write after the cause is gone goes to the store itself again.
 */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { LOCK_WAIT_MS } from "../../model/limits.ts";
import type { Clock } from "../../platform/clock.ts";
import { linkDurable } from "../../platform/durable-file.ts";
import { fileSystemOf } from "../../platform/file-system.ts";
import { createPrivateFile, removeTemporary, syncFile, whyNoRoom } from "../../platform/private-file.ts";
import { jitterMs, randomId } from "../../platform/random.ts";
import type { Driver, DriverInfo } from "../driver.ts";
import { Committer } from "./committer.ts";
import { SqliteEngine } from "./engine.ts";
import { assertOnlyName } from "./held-files.ts";
import { sqliteEngineName } from "./load.ts";
import { MIGRATIONS } from "./migrations.ts";
import { type OpenFileOptions, openStoreFile } from "./open-file.ts";
import { openCopy, type StoreCopy } from "./read-copy.ts";
import { StoreLocked } from "./sqlite-error.ts";

/** `follow` looks this often whether another process committed; ours wake it at once. */
const POLL_MS = 50;
/** What SQLite makes beside a store before it reads it. */
const SHARED_MEMORY_BYTES = 32 * 1024;

export interface SqliteDriverOptions extends OpenFileOptions {
  readonly path: string;
  readonly clock: Clock;
}

interface Ready {
  readonly kind: "ready";
  readonly engine: SqliteEngine;
  readonly committer: Committer;
}

type State =
  | Ready
  | {
      readonly kind: "copy";
      readonly copy: StoreCopy;
      readonly engine: SqliteEngine;
      readonly why: RefloatError;
    };

export async function openSqliteDriver(options: SqliteDriverOptions): Promise<Driver> {
  let state = await openState(options);
  let reopening: Promise<Ready> | null = null;
  let isClosed = false;
  const wakers = new Set<() => void>();

  const read = <T>(work: (engine: SqliteEngine) => T): Promise<T> =>
    retryLocked(options.clock, () => work(state.engine));

  async function write<T>(work: (engine: SqliteEngine) => T): Promise<T> {
    const ready = state.kind === "ready" ? state : await reopenOnce();
    const result = await ready.committer.step(() => work(ready.engine));
    for (const wake of wakers) wake();
    return result;
  }

  function reopenOnce(): Promise<Ready> {
    reopening ??= reopen().finally(() => {
      reopening = null;
    });
    return reopening;
  }

  async function reopen(): Promise<Ready> {
    const opened = await openState(options);
    if (opened.kind === "copy") {
      opened.copy.remove(opened.engine);
      throw opened.why;
    }
    const old = state;
    state = opened;
    await closeState(old);
    return opened;
  }

  async function waitForCommit(since: number, maxMs: number): Promise<void> {
    const untilMs = options.clock.monotonicMs() + maxMs;
    const isSame = async (): Promise<boolean> => (await read((engine) => engine.version())) === since;
    while (!isClosed && (await isSame()) && options.clock.monotonicMs() < untilMs) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(wake, Math.min(POLL_MS, maxMs));
        function wake(): void {
          clearTimeout(timer);
          wakers.delete(wake);
          resolve();
        }
        wakers.add(wake);
      });
    }
  }

  return {
    kind: "sqlite",
    commit: (group) => write((engine) => engine.commit(group)),
    readSession: (id) => read((engine) => engine.readSession(id)),
    listSessions: (filter) => read((engine) => engine.listSessions(filter)),
    readRecords: (query) => read((engine) => engine.readRecords(query)),
    readRecordById: (session, id) => read((engine) => engine.readRecordById(session, id)),
    readOpen: (session, filter) => read((engine) => engine.readOpen(session, filter)),
    readRefs: (session, fromSeq, toSeq) => read((engine) => engine.readRefs(session, fromSeq, toSeq)),
    putChunks: (chunks, content, nowMs) => write((engine) => engine.putChunks(chunks, content, nowMs)),
    putWhole: (contents, nowMs) => write((engine) => engine.putWhole(contents, nowMs)),
    hasChunks: (hashes) => read((engine) => engine.hasChunks(hashes)),
    readContent: (hash) => read((engine) => engine.readContent(hash)),
    readChunk: (hash) => read((engine) => engine.readChunk(hash)),
    listContents: (after, limit) => read((engine) => engine.listContents(after, limit)),
    gc: async (beforeMs) => {
      let contents = 0;
      let bytes = 0;
      for (;;) {
        const step = await write((engine) => engine.gcStep(beforeMs));
        contents += step.contents;
        bytes += step.bytes;
        if (step.isDone) break;
      }
      while (await write((engine) => engine.shrinkStep()));
      await write((engine) => engine.checkpoint("TRUNCATE"));
      return { contents, bytes };
    },
    forget: async (change) => {
      const result = await write((engine) => engine.forget(change));
      while (await write((engine) => engine.shrinkStep()));
      // Until the log is empty the bytes are still on the disk: not done before that.
      await write((engine) => engine.emptyLog());
      return result;
    },
    version: () => read((engine) => engine.version()),
    waitForCommit,
    checkEngine: () => read((engine) => engine.checkEngine()),
    backup: (path) => read((engine) => backup(engine, path)),
    bytesOnDisk: async () => bytesOnDisk(options.path),
    info: () => read((engine) => info(engine, options.path)),
    close: async () => {
      isClosed = true;
      for (const wake of wakers) wake();
      await closeState(state);
    },
  };
}

async function closeState(state: State): Promise<void> {
  if (state.kind === "copy") {
    state.copy.remove(state.engine);
    return;
  }
  await state.committer.close();
  state.engine.close();
}

async function openState(options: SqliteDriverOptions): Promise<State> {
  return retryLocked(options.clock, () => {
    try {
      assertOnlyName(options.path);
      const engine = new SqliteEngine(openStoreFile(options.path, options));
      engine.connection.holdFiles();
      return { kind: "ready", engine, committer: new Committer(engine, options.clock) };
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

async function retryLocked<T>(clock: Clock, work: () => T): Promise<T> {
  const startedMs = clock.monotonicMs();
  for (;;) {
    try {
      return work();
    } catch (thrown) {
      if (!(thrown instanceof StoreLocked)) throw thrown;
      const waitedMs = clock.monotonicMs() - startedMs;
      if (waitedMs > LOCK_WAIT_MS)
        throw new RefloatError("E_STORE_BUSY", { ms: Math.round(waitedMs) }, thrown);
    }
    await clock.sleep(jitterMs(1, 10));
  }
}

/** A snapshot by VACUUM INTO: one read transaction, so writers go on. Whole and synced before it has its name. */
function backup(engine: SqliteEngine, path: string): void {
  const temporary = `${path}.new-${randomId()}`;
  try {
    createPrivateFile(temporary, path); // SQLite would make one that everybody may read
    engine.connection.run("VACUUM INTO ?", temporary);
    syncFile(temporary);
    linkDurable(temporary, path);
  } finally {
    removeTemporary(temporary);
  }
}

/** The database, its log and its shared memory. */
function bytesOnDisk(path: string): number {
  const sizes = ["", "-wal", "-shm"].map(
    (suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function info(engine: SqliteEngine, path: string): DriverInfo {
  const db = engine.connection;
  return {
    kind: "sqlite",
    location: path,
    storeId: engine.storeId,
    schema: MIGRATIONS.length,
    engine: `${sqliteEngineName} ${db.text("SELECT sqlite_version()")}`,
    fileSystem: fileSystemOf(dirname(path)).name,
    sessions: db.number("SELECT count(*) FROM sessions"),
    records: db.number("SELECT count(*) FROM records"),
    contents: db.number("SELECT count(*) FROM contents"),
    contentBytes: db.number("SELECT coalesce(sum(length(bytes)), 0) FROM chunks"),
    bytes: bytesOnDisk(path),
    losses: db
      .all("SELECT value FROM meta WHERE key LIKE 'loss-%'")
      .map((row) => JSON.parse(String(row.value)) as JsonObject),
  };
}
