/** The SQLite driver on the thread it is opened on: each promise of a driver kept by a step of the engine (open-engine.ts). */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { ContentHash } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import { linkDurable } from "../../platform/durable-file.ts";
import { fileSystemOf } from "../../platform/file-system.ts";
import { createPrivateFile, removeTemporary, syncFile } from "../../platform/private-file.ts";
import { randomId } from "../../platform/random.ts";
import type {
  DeleteChange,
  DeleteOutcome,
  Driver,
  DriverInfo,
  ForgetChange,
  GcResult,
} from "../contract/driver.ts";
import type { SqliteEngine } from "./engine.ts";
import { type GcPage, perStep, type UnnamedKind } from "./gc.ts";
import { sqliteEngineName } from "./load.ts";
import { MIGRATIONS } from "./migrations.ts";
import { OpenEngine, type OpenEngineOptions } from "./open-engine.ts";

export type SqliteDriverOptions = OpenEngineOptions;

export async function openSqliteDriver(options: SqliteDriverOptions): Promise<Driver> {
  const open = await OpenEngine.open(options);
  const read = <T>(work: (engine: SqliteEngine) => T): Promise<T> => open.read(work);
  const write = <T>(work: (engine: SqliteEngine) => T): Promise<T> => open.write(work);
  return {
    kind: "sqlite",
    commit: (group) => write((engine) => engine.commit(group)),
    commitFirst: (candidates) => write((engine) => engine.commitFirst(candidates)),
    readSession: (id) => read((engine) => engine.readSession(id)),
    listSessions: (filter) => read((engine) => engine.listSessions(filter)),
    listSessionIds: (filter) => read((engine) => engine.listSessionIds(filter)),
    listWorkspaces: (limit) => read((engine) => engine.listWorkspaces(limit)),
    readRecords: (query) => read((engine) => engine.readRecords(query)),
    readRecordById: (session, id) => read((engine) => engine.readRecordById(session, id)),
    readOpen: (session, filter) => read((engine) => engine.readOpen(session, filter)),
    readOpenAmong: (sessions) => read((engine) => engine.readOpenAmong(sessions)),
    readRefs: (session, fromSeq, toSeq) => read((engine) => engine.readRefs(session, fromSeq, toSeq)),
    putChunks: (chunks, content, nowMs) => write((engine) => engine.putChunks(chunks, content, nowMs)),
    putWhole: (contents, nowMs) => write((engine) => engine.putWhole(contents, nowMs)),
    hasChunks: (hashes) => read((engine) => engine.hasChunks(hashes)),
    readContent: (hash) => read((engine) => engine.readContent(hash)),
    readChunk: (hash) => read((engine) => engine.readChunk(hash)),
    listChunks: (after, limit) => read((engine) => engine.listChunks(after, limit)),
    replaceChunk: (chunk) => write((engine) => engine.replaceChunk(chunk)),
    clearFiles: () => clearFiles(open),
    listContents: (after, limit) => read((engine) => engine.listContents(after, limit)),
    unnamed: (beforeMs) => read((engine) => engine.unnamed(beforeMs)),
    gc: (beforeMs) => collect(open, beforeMs),
    forget: (change) => forget(open, change),
    deleteSession: (change) => deleteSession(open, change),
    orders: () => read((engine) => engine.readOrders()),
    putOrder: (order, seen) => write((engine) => engine.putOrder(order, seen)),
    dropOrder: (id) => write((engine) => engine.dropOrder(id)),
    version: () => read((engine) => engine.version()),
    waitForCommit: (since, maxMs) => open.waitForCommit(since, maxMs),
    checkEngine: () => read((engine) => engine.checkEngine()),
    backup: (path) => read((engine) => backup(engine, path)),
    bytesOnDisk: async () => bytesOnDisk(options.path),
    info: () => read((engine) => info(engine, options.path)),
    close: () => open.close(),
  };
}

async function collect(open: OpenEngine, beforeMs: number): Promise<GcResult> {
  await dropDoomed(open);
  // Contents first: what they were made of is loose only then.
  const { contents } = await collectAll(open, "contents", beforeMs);
  const { bytes } = await collectAll(open, "chunks", beforeMs);
  await shrink(open);
  await open.write((engine) => engine.checkpoint("TRUNCATE"));
  return { contents, bytes };
}

async function collectAll(open: OpenEngine, what: UnnamedKind, beforeMs: number): Promise<GcResult> {
  const total = { contents: 0, bytes: 0 };
  let after: ContentHash | null = null;
  do {
    const from: ContentHash | null = after;
    const { found, last }: GcPage = await open.read((engine) => engine.gcPage(what, from, beforeMs));
    for (let at = 0; at < found.length; at += perStep(what)) {
      const some = found.slice(at, at + perStep(what));
      const { contents, bytes } = await open.write((engine) => engine.gcStep(what, some, beforeMs));
      await copyLog(open);
      total.contents += contents;
      total.bytes += bytes;
    }
    after = last;
  } while (after !== null);
  return total;
}

async function forget(open: OpenEngine, change: ForgetChange): Promise<GcResult> {
  await open.write((engine) => engine.forget(change));
  await copyLog(open);
  const result = await dropDoomed(open);
  if (!change.isForRoom) await clearFiles(open);
  return result;
}

async function deleteSession(open: OpenEngine, change: DeleteChange): Promise<DeleteOutcome> {
  const outcome = await open.write((engine) => engine.deleteSession(change));
  if (outcome.kind === "moved") {
    // Where it is gone already, whoever removed it may have been killed before he had cleared the files.
    if (outcome.isGone) await clearFiles(open);
    return { kind: "moved" };
  }
  const dropped = await dropDoomed(open);
  await clearFiles(open);
  return { kind: "deleted", result: { ...outcome.result, ...dropped } };
}

/** Also what somebody before us was killed over. */
async function dropDoomed(open: OpenEngine): Promise<GcResult> {
  const total = { contents: 0, bytes: 0 };
  for (;;) {
    const dropped = await open.write((engine) => engine.dropDoomed());
    if (!dropped) return total;
    await copyLog(open);
    total.contents += dropped.contents;
    total.bytes += dropped.bytes;
  }
}

/** Until the log is empty the bytes are still on the disk: not done before that. */
async function clearFiles(open: OpenEngine): Promise<void> {
  await dropDoomed(open);
  await shrink(open);
  await open.write((engine) => engine.emptyLog());
}

async function shrink(open: OpenEngine): Promise<void> {
  while (await open.write((engine) => engine.shrinkStep())) await copyLog(open);
}

/** As the upkeep of an append does it, whose timer has no turn between these steps: a log of a gigabyte would be copied at the end, in one go, with everybody waiting. */
async function copyLog(open: OpenEngine): Promise<void> {
  await open.write((engine) => {
    if (engine.isCheckpointDue()) engine.checkpoint("PASSIVE");
  });
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
