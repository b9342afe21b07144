/** The PostgreSQL driver: reads on connections of their own, and one writer (group-writer.ts). */
import type { Clock } from "../../platform/clock.ts";
import type { Driver } from "../contract/driver.ts";
import { CommitSignal } from "./commit-signal.ts";
import { connectTo, postgresPlace } from "./connect.ts";
import { collect, hasChunks, listContents, readChunk, readContent, unnamed } from "./contents.ts";
import { checkEngine, checkServer, readBytesOnDisk, readInfo } from "./engine.ts";
import { GroupWriter } from "./group-writer.ts";
import { migrate } from "./migrations.ts";
import {
  listSessions,
  listWorkspaces,
  readOpen,
  readOpenAmong,
  readRecordById,
  readRecords,
  readRefs,
  readSession,
  readVersion,
} from "./reads.ts";
import { Wire } from "./wire.ts";

export interface PostgresDriverOptions {
  readonly url: string;
  /** The store's tables live in a schema of their own; several stores can share a database. */
  readonly schema?: string;
  readonly clock: Clock;
  /** Take a server with fsync=off: a power cut there loses what was acknowledged. */
  readonly allowUnsafeServer?: boolean;
}

/** Beside one for writing and one for listening (when somebody waits for commits). */
const READ_CONNECTIONS = 2;

export async function openPostgresDriver(options: PostgresDriverOptions): Promise<Driver> {
  const { clock, allowUnsafeServer = false } = options;
  const place = postgresPlace(options.url, options.schema ?? "refloat");
  const connect = await connectTo(place);
  const writing = new Wire({ place, connect, clock, connections: 1 });
  const reading = new Wire({ place, connect, clock, connections: READ_CONNECTIONS });
  const signal = new CommitSignal({ wire: reading, connect, clock });
  const closeAll = async (): Promise<void> => {
    await Promise.all([signal, writing, reading].map((one) => one.close()));
  };

  let storeId: string;
  try {
    await checkServer(writing, { allowUnsafeServer });
    storeId = await migrate(writing);
  } catch (thrown) {
    await closeAll();
    throw thrown;
  }

  const writer = new GroupWriter({
    schema: place.schema,
    writing,
    contents: reading,
    signal,
    allowUnsafeServer,
  });
  return {
    kind: "postgres",
    commit: (group) => writer.commit(group),
    readSession: (id) => readSession(reading, id),
    listSessions: (filter) => listSessions(reading, filter),
    listWorkspaces: (limit) => listWorkspaces(reading, limit),
    readRecords: (query) => readRecords(reading, query),
    readRecordById: (session, id) => readRecordById(reading, session, id),
    readOpen: (session, filter) => readOpen(reading, session, filter),
    readOpenAmong: (sessions) => readOpenAmong(reading, sessions),
    readRefs: (session, fromSeq, toSeq) => readRefs(reading, session, fromSeq, toSeq),
    putChunks: (chunks, content, nowMs) => writer.putChunks(chunks, content, nowMs),
    putWhole: (contents, nowMs) => writer.putWhole(contents, nowMs),
    hasChunks: (hashes) => hasChunks(reading, hashes, clock.nowMs()),
    readContent: (hash) => readContent(reading, hash),
    readChunk: (hash) => readChunk(reading, hash),
    listContents: (after, limit) => listContents(reading, after, limit),
    unnamed: (beforeMs) => unnamed(reading, beforeMs),
    gc: (beforeMs) => collect(reading, beforeMs),
    forget: (change) => writer.forget(change),
    version: () => readVersion(reading),
    waitForCommit: (since, maxMs) => signal.wait(since, maxMs),
    checkEngine: () => checkEngine(reading),
    bytesOnDisk: () => readBytesOnDisk(reading),
    info: () => readInfo(reading, storeId),
    close: async () => {
      await writer.idle();
      await closeAll();
    },
  };
}
