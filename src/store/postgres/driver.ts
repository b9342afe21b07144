/**
 * The PostgreSQL driver. One statement is one commit group (S-1): `append_1` in the database gives the
 * sequence numbers, checks the fence and inserts (append-sql.ts), so a client that dies at any instant
 * leaves neither half a change nor a lock.
 *
 * What is on the server's disk after each step of `commit`:
 *   1. sent                      nothing; the group may or may not arrive
 *   2. the function has run      nothing that counts: rows of a transaction that is not committed
 *   3. committed                 the server's log is synced, then and only then is it visible and answered (D1)
 *   4. acknowledged              as 3. When the answer is lost between 3 and 4, the group is sent again, and
 *                                record ids turn the second time into a repeat (D4)
 */
import type { Clock } from "../../platform/clock.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import type { Change, Chunk, Driver, Outcome, SessionChange } from "../driver.ts";
import { CommitSignal } from "./commit-signal.ts";
import { connectTo } from "./connect.ts";
import { collect, hasChunks, listContents, putChunks, readChunk, readContent } from "./contents.ts";
import { checkEngine, checkServer, readBytesOnDisk, readInfo, requireSync } from "./engine.ts";
import { forgetRecords } from "./forget.ts";
import { encodeGroup, groupAnswer, placeOutcomes } from "./group.ts";
import { migrate } from "./migrations.ts";
import {
  listSessions,
  readOpen,
  readRecordById,
  readRecords,
  readRefs,
  readSession,
  readVersion,
} from "./reads.ts";
import { postgresPlace } from "./url.ts";
import { Wire } from "./wire.ts";

export interface PostgresDriverOptions {
  readonly url: string;
  /** The store's tables live in a schema of their own; several stores can share a database. */
  readonly schema?: string;
  readonly clock: Clock;
  /** One for writing, one for listening (when somebody waits for commits), the others for the rest. */
  readonly maxConnections?: number;
  /** Take a server with fsync=off: a power cut there loses what was acknowledged. */
  readonly allowUnsafeServer?: boolean;
}

const PUT: Outcome = { kind: "done", seqs: [], head: 0, attempt: 0, isRepeat: false };

export async function openPostgresDriver(options: PostgresDriverOptions): Promise<Driver> {
  const { clock, maxConnections = 4, allowUnsafeServer = false } = options;
  const place = postgresPlace(options.url, options.schema ?? "refloat");
  const connect = await connectTo(place);
  const writing = new Wire({ place, connect, clock, connections: 1 });
  const reading = new Wire({ place, connect, clock, connections: Math.max(1, maxConnections - 2) });
  const signal = new CommitSignal({ wire: reading, connect, clock });
  const closeAll = async (): Promise<void> => {
    await Promise.all([signal, writing, reading].map((one) => one.close()));
  };

  let storeId: string;
  try {
    await checkServer(writing, allowUnsafeServer);
    storeId = await migrate(writing);
  } catch (thrown) {
    await closeAll();
    throw thrown;
  }

  const acknowledge = (fsync: string): void => {
    if (!allowUnsafeServer) requireSync(fsync);
  };

  const putWhole = async (contents: readonly Chunk[], nowMs: number): Promise<void> => {
    // One statement each, and none before the last one counts: whoever names them waits for all of them.
    for (const content of contents) {
      const chunks = content.bytes.byteLength === 0 ? [] : [content];
      const row = {
        hash: content.hash,
        bytes: content.bytes.byteLength,
        chunks: chunks.map(({ hash }) => hash),
      };
      acknowledge(await putChunks(reading, chunks, row, nowMs));
    }
  };

  /** Contents first, each on disk before the records of the group are sent. */
  async function commitAll(group: readonly Change[]): Promise<readonly Outcome[]> {
    for (const change of group) if (change.kind === "put") await putWhole(change.contents, change.nowMs);
    const outcomes = [...(await commit(group.filter((change) => change.kind !== "put")))];
    return group.map((change) => (change.kind === "put" ? PUT : (outcomes.shift() as Outcome)));
  }

  async function commit(group: readonly SessionChange[]): Promise<readonly Outcome[]> {
    if (group.length === 0) return [];
    const encoded = encodeGroup(group);
    crashPoint("append.before-begin");
    const rows = await writing.ask(`SELECT ${place.schema}.append_1($1) AS answer`, [encoded.text], {
      isWrite: true,
    });
    const { outcomes, fsync } = groupAnswer.parse(rows[0]?.answer);
    crashPoint("append.after-commit");
    if (group.some((change) => change.kind === "take")) crashPoint("take.after-commit");
    acknowledge(fsync);
    signal.committed();
    return placeOutcomes(encoded, outcomes);
  }

  // One after the other, in the order they were asked for: sent at once, a broken connection could swap two.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined); // its caller has the error; the next commit is another matter
    return result;
  };

  return {
    kind: "postgres",
    commit: (group) => inTurn(() => commitAll(group)),
    readSession: (id) => readSession(reading, id),
    listSessions: (filter) => listSessions(reading, filter),
    readRecords: (query) => readRecords(reading, query),
    readRecordById: (session, id) => readRecordById(reading, session, id),
    readOpen: (session, filter) => readOpen(reading, session, filter),
    readRefs: (session, fromSeq, toSeq) => readRefs(reading, session, fromSeq, toSeq),
    putChunks: async (chunks, content, nowMs) =>
      acknowledge(await putChunks(reading, chunks, content, nowMs)),
    putWhole,
    hasChunks: (hashes) => hasChunks(reading, hashes, clock.nowMs()),
    readContent: (hash) => readContent(reading, hash),
    readChunk: (hash) => readChunk(reading, hash),
    listContents: (after, limit) => listContents(reading, after, limit),
    gc: (beforeMs) => collect(reading, beforeMs),
    forget: (change) =>
      inTurn(async () => {
        const result = await forgetRecords(writing, change);
        signal.committed();
        return result;
      }),
    version: () => readVersion(reading),
    waitForCommit: (since, maxMs) => signal.wait(since, maxMs),
    checkEngine: () => checkEngine(reading),
    bytesOnDisk: () => readBytesOnDisk(reading),
    info: () => readInfo(reading, storeId),
    close: async () => {
      await last;
      await closeAll();
    },
  };
}
