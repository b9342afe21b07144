/** The PostgreSQL driver: reads that share statements (read-group.ts), and one writer (group-writer.ts). */
import type { Clock } from "../../platform/clock.ts";
import type { Environment } from "../../platform/places.ts";
import type { Driver } from "../contract/driver.ts";
import { CommitSignal } from "./commit-signal.ts";
import { type Connect, connectTo, inTurn } from "./connect.ts";
import { collect, hasChunks, listChunks, listContents, readChunk, readContent, unnamed } from "./contents.ts";
import { checkEngine, checkServer, readBytesOnDisk, readInfo } from "./engine.ts";
import { clearFiles } from "./forget.ts";
import { GroupWriter } from "./group-writer.ts";
import { migrate } from "./migrations.ts";
import { dropOrder, putOrder, readOrders } from "./orders.ts";
import { type PostgresClient, sendBy } from "./own-client.ts";
import { listSessionIds, listWorkspaces, Reader, readRecordById, readRefs } from "./reads.ts";
import { postgresPlace } from "./server-address.ts";
import { ServerTime } from "./server-time.ts";
import { Wire } from "./wire.ts";

export interface PostgresDriverOptions {
  readonly url: string;
  /** The store's tables live in a schema of their own; several stores can share a database. */
  readonly schema?: string;
  readonly clock: Clock;
  /** Take a server with fsync=off: a power cut there loses what was acknowledged. */
  readonly allowUnsafeServer?: boolean;
  /** Where the address does not say: how many connections at most; DEFAULT_CONNECTIONS when left out. */
  readonly connections?: number;
  readonly env?: Environment;
  /** The caller's own, in the place of connections of ours. */
  readonly client?: PostgresClient;
}

/** One for statements, and one to listen on while somebody waits for commits. */
export const DEFAULT_CONNECTIONS = 2;

export async function openPostgresDriver(
  options: PostgresDriverOptions,
): Promise<Driver & { readonly storeId: string }> {
  const { clock, allowUnsafeServer = false } = options;
  const { url, schema, env, client } = options;
  const place = postgresPlace(url, { ...(schema ? { schema } : {}), ...(env ? { env } : {}) });
  const own = client ? sendBy(client) : null;
  // A client is one wire: how many connections it has is its owner's.
  const most = own ? 1 : (place.connections ?? options.connections ?? DEFAULT_CONNECTIONS);
  const listenBy = own ? null : await connectTo(place);
  const connect = own ? () => own : (many: number) => inTurn((listenBy as Connect)(many), many);
  const writing = new Wire({ place, connect, clock, connections: 1 });
  // With three or more, reads and contents do not wait for commits, nor commits for them.
  const reading = most < 3 ? writing : new Wire({ place, connect, clock, connections: most - 2 });
  const reader = new Reader(reading);
  const signal = new CommitSignal({ wire: reading, reader, connect: most < 2 ? null : listenBy, clock });
  const closeAll = async (): Promise<void> => {
    // First: it may have something to tell yet.
    await signal.close();
    await Promise.all([...new Set([writing, reading])].map((one) => one.close()));
  };

  let storeId: string;
  let time: ServerTime;
  try {
    const { meta, aheadMs } = await checkServer(writing, { allowUnsafeServer, clock });
    time = new ServerTime(clock, aheadMs);
    storeId = await migrate(writing, meta);
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
    storeId,
    commit: async (group) =>
      (await writer.commit(group.map((change) => time.written(change)))).map((one) => time.told(one)),
    commitFirst: (candidates) =>
      writer.commitFirst(candidates.map((changes) => changes.map((one) => time.written(one)))),
    readSession: async (id) => {
      const row = await reader.session(id);
      return row && time.read(row);
    },
    listSessions: async (filter) => (await reader.sessions(filter)).map((row) => time.read(row)),
    listSessionIds: (filter) => listSessionIds(reading, filter),
    listWorkspaces: (limit) => listWorkspaces(reading, limit),
    readRecords: (query) => reader.records(query),
    readRecordById: (session, id) => readRecordById(reading, session, id),
    readOpen: (session, filter) => reader.open(session, filter),
    readOpenAmong: (sessions) => reader.openAmong(sessions),
    readRefs: (session, fromSeq, toSeq) => readRefs(reading, session, fromSeq, toSeq),
    putChunks: (chunks, content, nowMs) => writer.putChunks(chunks, content, nowMs),
    putWhole: (contents, nowMs) => writer.putWhole(contents, nowMs),
    hasChunks: (hashes) => hasChunks(reading, hashes, clock.nowMs()),
    readContent: (hash) => readContent(reading, hash),
    readChunk: (hash) => readChunk(reading, hash),
    listChunks: (after, limit) => listChunks(reading, after, limit),
    replaceChunk: (chunk) => writer.replaceChunk(chunk),
    clearFiles: () => clearFiles(reading),
    listContents: (after, limit) => listContents(reading, after, limit),
    unnamed: (beforeMs) => unnamed(reading, beforeMs),
    gc: (beforeMs) => collect(reading, beforeMs),
    forget: (change) => writer.forget(change),
    deleteSession: (change) => writer.deleteSession(change),
    orders: () => readOrders(reading),
    putOrder: (order, seen) => putOrder(writing, order, seen),
    dropOrder: (id) => dropOrder(writing, id),
    version: (session) => reader.version(session),
    waitForCommit: (since, maxMs, session) => signal.wait(since, maxMs, session),
    checkEngine: () => checkEngine(reading),
    bytesOnDisk: () => readBytesOnDisk(reading),
    info: () => readInfo(reading, storeId),
    close: async () => {
      await writer.idle();
      await closeAll();
    },
  };
}
