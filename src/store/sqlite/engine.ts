/**
 * The synchronous heart of the SQLite driver: one connection, every statement, no waiting. It runs either
 * inline or on a worker thread (driver.ts); waiting for the lock and fairness are the committer's.
 *
 * What is on disk after each step of `commit` (docs/durability.md tells it at length):
 *   1. BEGIN IMMEDIATE          nothing; other writers now find the lock taken
 *   2. checks and inserts       nothing but pages in memory
 *   3. COMMIT                   all frames appended to the log, one sync of it, then and only then visible (D1)
 *   4. acknowledged             as 3
 */
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash, RecordId, SessionId } from "../../model/ids.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { bytesOf } from "../contract/commit-group.ts";
import type {
  Candidate,
  ChangeOutcome,
  Chunk,
  ContentRow,
  Damage,
  DeleteChange,
  FirstOutcome,
  ForgetChange,
  GcResult,
  OpenFilter,
  OpenRow,
  OpenRowOf,
  OrderRow,
  RawRecord,
  RecordQuery,
  RefRow,
  SessionFilter,
  SessionRow,
  StoreChange,
} from "../contract/driver.ts";
import { applyChange, readSessionRow } from "./apply-change.ts";
import type { Connection } from "./connection.ts";
import * as contents from "./contents.ts";
import { deleteSessionRows, type RowsDeleted } from "./delete-session-rows.ts";
import { dropDoomed } from "./doomed.ts";
import { forgetRecords } from "./forget.ts";
import * as gc from "./gc.ts";
import { addToMark, dropFromMark } from "./mark.ts";
import { PAGE_BYTES } from "./migrations.ts";
import { dropOrder, putOrder, readOrders } from "./orders.ts";
import {
  blobToHash,
  LAST_KEY_SQL,
  LAST_TIME_SQL,
  recordKey,
  sidOf,
  toOpen,
  toRawRecord,
  toSession,
} from "./rows.ts";
import { sessionsWhere } from "./sessions-where.ts";
import { StoreLocked } from "./sqlite-error.ts";

/** Pages in the log after which it is copied into the database: 4 MiB, SQLite's own default. */
const CHECKPOINT_PAGES = 1000;
/** What an append touches besides its bytes: a page each of two indexes, the table, the session's row. */
const PAGES_PER_COMMIT = 4;
/** 2 MiB moved per transaction while shrinking: other writers wait for no more than that. */
const VACUUM_PAGES_PER_STEP = 512;

/** More than one process makes while it holds a store open. */
const COMMITS_OF_ONE = 2 ** 40;

export class SqliteEngine {
  static #opened = 0;
  readonly connection: Connection;
  readonly storeId: string;
  /** How far the sessions written since the last mark have come. */
  #heads = new Map<SessionId, number>();
  /** One that is opened after it, as after a full disk, never has the same (version). */
  #commits = SqliteEngine.#opened++ * COMMITS_OF_ONE;
  #pagesSinceCheckpoint = 0;

  constructor(connection: Connection) {
    this.connection = connection;
    this.storeId = connection.text("SELECT value FROM meta WHERE key = 'store_id'") ?? "";
  }

  /** One transaction, one sync (driver 1). Throws StoreLocked when another process holds the lock. */
  commit(group: readonly StoreChange[]): ChangeOutcome[] {
    crashPoint("append.before-begin");
    const outcomes = this.connection.transaction(() => {
      const done = group.map((change) => {
        const outcome = applyChange(this.connection, change);
        crashPoint(change.kind === "take" ? "take.before-commit" : "append.in-transaction");
        return outcome;
      });
      crashPoint("append.before-commit");
      return done;
    });
    crashPoint("append.after-commit");
    if (group.some((change) => change.kind === "take")) crashPoint("take.after-commit");
    this.#remember(group, outcomes);
    this.#wrote(group.reduce((sum, change) => sum + bytesOf(change), 0));
    return outcomes;
  }

  /** As `commit`, of the first candidate that none of its changes speaks against. Nobody else is at work meanwhile. */
  commitFirst(candidates: readonly Candidate[]): FirstOutcome {
    crashPoint("append.before-begin");
    const first = this.connection.transaction(() => this.#firstOf(candidates));
    if (first.kind === "none") return first;
    crashPoint("take.after-commit");
    const made = candidates[first.place] ?? [];
    this.#remember(made, first.outcomes);
    this.#wrote(made.reduce((sum, change) => sum + bytesOf(change), 0));
    return first;
  }

  #firstOf(candidates: readonly Candidate[]): FirstOutcome {
    for (const [place, candidate] of candidates.entries()) {
      this.connection.exec("SAVEPOINT candidate");
      const outcomes: ChangeOutcome[] = [];
      for (const change of candidate) {
        outcomes.push(applyChange(this.connection, change));
        if (outcomes.at(-1)?.kind === "refused") break;
      }
      const isMade = outcomes.every(({ kind }) => kind === "done");
      // What the changes before the refused one wrote goes, too (driver 2).
      this.connection.exec(isMade ? "RELEASE candidate" : "ROLLBACK TO candidate; RELEASE candidate");
      if (!isMade) continue;
      crashPoint("take.before-commit");
      return { kind: "done", place, outcomes };
    }
    return { kind: "none", isBusy: false };
  }

  #remember(group: readonly StoreChange[], outcomes: readonly ChangeOutcome[]): void {
    for (const [i, outcome] of outcomes.entries()) {
      const change = group[i];
      if (change && change.kind !== "put" && outcome.kind === "done" && outcome.head > 0)
        this.#heads.set(change.session, outcome.head);
    }
  }

  /** Counts a commit and estimates what it added to the log: the pages of its rows and indexes, and its bytes. */
  #wrote(bytes: number): void {
    this.#commits++;
    this.#pagesSinceCheckpoint += PAGES_PER_COMMIT + Math.ceil(bytes / PAGE_BYTES);
  }

  isCheckpointDue(): boolean {
    return this.#pagesSinceCheckpoint >= CHECKPOINT_PAGES;
  }

  /** Between commits: the log copied into the database when it has grown, and the mark. */
  upkeep(): void {
    if (this.isCheckpointDue()) this.checkpoint("PASSIVE");
    else this.writeMark();
  }

  /** Copies the log into the database. A busy reader only delays the rest of it. */
  checkpoint(mode: "PASSIVE" | "TRUNCATE"): void {
    crashPoint("checkpoint.before");
    this.connection.assertInPlace();
    this.connection.get(`PRAGMA wal_checkpoint(${mode})`);
    this.#pagesSinceCheckpoint = 0;
    crashPoint("checkpoint.after");
    this.writeMark();
  }

  /** Notes beside the store what this connection has written (D7). Nothing written: nothing to say. */
  writeMark(): void {
    if (this.#heads.size === 0) return;
    this.connection.assertInPlace(); // a store that has taken this one's place must not get its mark
    const heads = this.#heads;
    this.#heads = new Map();
    addToMark(this.connection.path, { store: this.storeId, heads });
    // Another process may have removed one of them: looked at after the mark is written, it is not told for good (D7).
    for (const session of heads.keys())
      if (sidOf(this.connection, session) === null) dropFromMark(this.connection.path, session);
  }

  readSession(id: SessionId): SessionRow | null {
    return readSessionRow(this.connection, id);
  }

  listSessions(filter: SessionFilter): SessionRow[] {
    const { where, values } = sessionsWhere(filter);
    const columns = `*, ${LAST_KEY_SQL} AS last, ${LAST_TIME_SQL} AS last_at_ms`;
    return this.connection.all(`SELECT ${columns} FROM sessions ${where}`, ...values).map(toSession);
  }

  listSessionIds(filter: SessionFilter): SessionId[] {
    const { where, values } = sessionsWhere(filter);
    return this.connection
      .all(`SELECT id FROM sessions ${where}`, ...values)
      .map(({ id }) => id as SessionId);
  }

  listWorkspaces(limit: number): string[] {
    const sql =
      "SELECT DISTINCT workspace FROM sessions WHERE workspace IS NOT NULL ORDER BY workspace LIMIT ?";
    return this.connection.all(sql, limit).map(({ workspace }) => String(workspace));
  }

  readRecords(query: RecordQuery): RawRecord[] {
    const sid = sidOf(this.connection, query.session);
    if (sid === null) return [];
    const direction = query.order === "backward" ? "DESC" : "ASC";
    const kinds = query.kinds ? ` AND kind IN (${query.kinds.map(() => "?").join(",")})` : "";
    return this.connection
      .all(
        `SELECT * FROM records WHERE n >= ? AND n <= ?${kinds} ORDER BY n ${direction} LIMIT ?`,
        recordKey(sid, query.fromSeq ?? 0),
        recordKey(sid, query.toSeq ?? Number.MAX_SAFE_INTEGER),
        ...(query.kinds ?? []),
        Math.min(query.limit ?? READ_PAGE_ROWS, READ_PAGE_ROWS),
      )
      .map(toRawRecord);
  }

  readRecordById(session: SessionId, id: RecordId): RawRecord | null {
    const row = this.connection.get("SELECT * FROM records WHERE session = ? AND id = ?", session, id);
    return row ? toRawRecord(row) : null;
  }

  readOpen(session: SessionId, { what, limit }: OpenFilter = {}): OpenRow[] {
    const kinds = what ? ` AND what IN (${what.map(() => "?").join(", ")})` : "";
    return this.connection
      .all(
        `SELECT what, id, seq FROM open WHERE session = ?${kinds} ORDER BY seq LIMIT ?`,
        session,
        ...(what ?? []),
        limit ?? -1,
      )
      .map(toOpen);
  }

  readOpenAmong(sessions: readonly SessionId[]): OpenRowOf[] {
    return this.connection
      .all(
        "SELECT session, what, id, seq FROM open WHERE session IN (SELECT value FROM json_each(?)) ORDER BY session, seq",
        JSON.stringify(sessions),
      )
      .map((row) => ({ session: row.session as SessionId, ...toOpen(row) }));
  }

  readRefs(session: SessionId, fromSeq: number, toSeq: number): RefRow[] {
    return this.connection
      .all(
        "SELECT hash, seq, path FROM refs WHERE session = ? AND seq >= ? AND seq <= ? ORDER BY seq, n",
        session,
        fromSeq,
        toSeq,
      )
      .map((row) => ({
        hash: blobToHash(row.hash ?? null),
        seq: Number(row.seq),
        path: row.path === null ? null : String(row.path),
      }));
  }

  putChunks(chunks: readonly Chunk[], content: ContentRow | null, nowMs: number): void {
    contents.putChunks(this.connection, chunks, content, nowMs);
    this.#wrote(chunks.reduce((sum, chunk) => sum + chunk.bytes.byteLength, 0));
  }

  putWhole(whole: readonly Chunk[], nowMs: number): void {
    this.connection.transaction(() => contents.putWhole(this.connection, whole, nowMs));
    this.#wrote(whole.reduce((sum, { bytes }) => sum + bytes.byteLength, 0));
  }

  hasChunks(hashes: readonly ContentHash[]): ContentHash[] {
    return hashes.filter((hash) => contents.hasChunk(this.connection, hash));
  }

  readContent(hash: ContentHash): ContentRow | null {
    return contents.readContent(this.connection, hash);
  }

  readChunk(hash: ContentHash): Uint8Array | null {
    return contents.readChunk(this.connection, hash);
  }

  listChunks(after: ContentHash | null, limit: number): ContentHash[] {
    return contents.listChunks(this.connection, after, limit);
  }

  replaceChunk(chunk: Chunk): void {
    contents.replaceChunk(this.connection, chunk);
    this.#wrote(chunk.bytes.byteLength);
  }

  listContents(after: ContentHash | null, limit: number): ContentRow[] {
    return contents.listContents(this.connection, after, limit);
  }

  unnamed(beforeMs: number): GcResult {
    return gc.unnamed(this.connection, beforeMs);
  }

  gcPage(what: gc.UnnamedKind, after: ContentHash | null, beforeMs: number): gc.GcPage {
    return gc.gcPage(this.connection, what, after, beforeMs);
  }

  gcStep(what: gc.UnnamedKind, found: readonly ContentHash[], beforeMs: number): GcResult {
    this.#wrote(0);
    return gc.gcStep(this.connection, what, found, beforeMs);
  }

  /** Gives a batch of freed pages back to the disk; false when there are none left. */
  shrinkStep(): boolean {
    if (this.connection.number("PRAGMA freelist_count") === 0) return false;
    this.connection.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES_PER_STEP})`);
    this.#wrote(VACUUM_PAGES_PER_STEP * PAGE_BYTES);
    return true;
  }

  /** What its contents take is freed by `dropDoomed`. */
  forget(change: ForgetChange): void {
    this.#wrote(change.records.length * PAGE_BYTES);
    forgetRecords(this.connection, change);
  }

  dropDoomed(): GcResult | null {
    const dropped = dropDoomed(this.connection);
    if (dropped) this.#wrote(dropped.bytes);
    return dropped;
  }

  readOrders(): OrderRow[] {
    return readOrders(this.connection);
  }

  putOrder(order: OrderRow, seen: string | null): boolean {
    this.#wrote(order.text.length);
    return putOrder(this.connection, order, seen);
  }

  dropOrder(id: string): void {
    this.#wrote(0);
    dropOrder(this.connection, id);
  }

  /** Its mark goes first: one that names a session which is not there would be taken for a loss (D7). */
  deleteSession(change: DeleteChange): RowsDeleted {
    this.#heads.delete(change.session);
    dropFromMark(this.connection.path, change.session);
    this.#wrote(0);
    return deleteSessionRows(this.connection, change);
  }

  /** All of the log copied and cut to nothing, or StoreLocked: a reader somewhere still needs part of it. */
  emptyLog(): void {
    this.connection.assertInPlace();
    const row = this.connection.get("PRAGMA wal_checkpoint(TRUNCATE)");
    if (Number(row?.busy) !== 0) throw new StoreLocked("a reader still needs the log");
    this.#pagesSinceCheckpoint = 0;
  }

  /** Changes with every commit, ours (counted here) or another connection's (data_version); both only grow. */
  version(): number {
    return this.#commits + this.connection.number("PRAGMA data_version");
  }

  checkEngine(): Damage[] {
    return this.connection
      .all("PRAGMA integrity_check(100)")
      .map((row) => String(Object.values(row)[0]))
      .filter((message) => message !== "ok")
      .map((message) => ({ kind: "page", where: this.connection.path, message }));
  }

  close(): void {
    try {
      if (!this.connection.isReadOnly) this.writeMark();
    } catch (thrown) {
      // On a full or read-only disk the mark lags behind, as it may (D7); nothing else is left to do.
      if (!(thrown instanceof RefloatError)) throw thrown;
    } finally {
      this.connection.close();
    }
  }
}
