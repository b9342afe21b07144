/**
 * One connection and the statements prepared on it, kept together for as long as either lives.
 *
 *  connection 1  synchronous=FULL is set and read back on every open (D1): a reopened WAL database would silently
 *       run with NORMAL otherwise.
 *  connection 2  busy_timeout is 0: waiting happens outside, asynchronously, never inside the driver.
 *  connection 3  Checkpoints are ours (wal_autocheckpoint=0), so that none runs inside an append.
 *  connection 4  @photostructure/sqlite cannot finalise a statement: a connection that prepared one lives on after
 *       `close` until it is collected, and with it the shared memory file under the name it was opened by.
 *       So what is then given another name is never filled through a Connection: the process that did would go
 *       on with that memory, everybody else with the store's own, and both would write over each other.
 *  connection 5  A store's own connection commits only while its files are where it opened them (HeldFiles).
 */
import { RefloatError } from "../../model/errors.ts";
import { HeldFiles } from "./held-files.ts";
import {
  openDatabase,
  type SqlDatabase,
  type SqliteRow,
  type SqliteValue,
  type SqlStatement,
} from "./load.ts";
import { throughGate } from "./native-gate.ts";
import { sqliteError } from "./sqlite-error.ts";

const SYNCHRONOUS_FULL = 2;
/** 16 MiB of pages: the working set of an append is a dozen pages; reads of long sessions profit a little. */
const CACHE_KIB = 16 * 1024;

/** Runs statements on a connection of their own that is truly closed afterwards (connection 4). */
export function runScript(path: string, sql: string): void {
  try {
    throughGate(() => {
      const db = openDatabase(path);
      try {
        db.exec(sql);
      } finally {
        db.close();
      }
    });
  } catch (thrown) {
    throw sqliteError(thrown, path);
  }
}

export class Connection {
  readonly path: string;
  readonly isReadOnly: boolean;
  readonly #db: SqlDatabase;
  readonly #statements = new Map<string, SqlStatement>();
  #files: HeldFiles | null = null;
  #isOpen = true;

  constructor(path: string, options: { readOnly?: boolean } = {}) {
    this.path = path;
    this.isReadOnly = options.readOnly ?? false;
    try {
      this.#db = throughGate(() => openDatabase(path, this.isReadOnly ? { readOnly: true } : {}));
    } catch (thrown) {
      throw sqliteError(thrown, path);
    }
    try {
      this.#configure();
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  #configure(): void {
    this.exec("PRAGMA busy_timeout = 0"); // connection 2
    this.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    this.exec("PRAGMA secure_delete = FAST");
    this.exec("PRAGMA trusted_schema = OFF");
    if (this.isReadOnly) return;
    this.exec("PRAGMA synchronous = FULL"); // connection 1
    this.exec("PRAGMA fullfsync = 1"); // macOS: a plain fsync there does not reach the disk
    this.exec("PRAGMA wal_autocheckpoint = 0"); // connection 3
    const found = this.number("PRAGMA synchronous");
    if (found !== SYNCHRONOUS_FULL) throw new RefloatError("E_STORE_SYNC", { found });
  }

  exec(sql: string): void {
    this.#guard(() => this.#db.exec(sql));
  }

  run(sql: string, ...values: SqliteValue[]): number {
    return this.#guard(() => Number(this.#prepare(sql).run(...values).changes));
  }

  get(sql: string, ...values: SqliteValue[]): SqliteRow | null {
    return this.#guard(() => (this.#prepare(sql).get(...values) as SqliteRow | undefined) ?? null);
  }

  all(sql: string, ...values: SqliteValue[]): SqliteRow[] {
    return this.#guard(() => this.#prepare(sql).all(...values) as SqliteRow[]);
  }

  /** The first column of the first row, as a number; 0 when there is none. */
  number(sql: string, ...values: SqliteValue[]): number {
    const row = this.get(sql, ...values);
    return row ? Number(Object.values(row)[0] ?? 0) : 0;
  }

  text(sql: string, ...values: SqliteValue[]): string | null {
    const row = this.get(sql, ...values);
    const value = row ? Object.values(row)[0] : null;
    return value === null || value === undefined ? null : String(value);
  }

  /** Runs `work` between BEGIN IMMEDIATE and COMMIT; whatever it throws rolls everything back. */
  transaction<T>(work: () => T): T {
    this.run("BEGIN IMMEDIATE");
    let result: T;
    try {
      result = work();
      this.assertInPlace(); // connection 5: nothing is committed where nobody finds it ...
      this.run("COMMIT");
      this.assertInPlace(); // ... nor acknowledged
    } catch (thrown) {
      this.#rollback();
      throw thrown;
    }
    return result;
  }

  /** From now on every commit makes sure that the files are still where they are now (connection 5). */
  holdFiles(): void {
    this.#files = new HeldFiles(this.path);
  }

  assertInPlace(): void {
    this.#files?.assertInPlace();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#statements.clear();
    throughGate(() => this.#db.close());
  }

  // After some errors (disk full, I/O) SQLite has already rolled back by itself; then there is nothing left to do.
  #rollback(): void {
    try {
      throughGate(() => this.#db.exec("ROLLBACK"));
    } catch (thrown) {
      if (!/no transaction is active/.test(String(thrown))) throw sqliteError(thrown, this.path);
    }
  }

  #prepare(sql: string): SqlStatement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<T>(work: () => T): T {
    if (!this.#isOpen) throw new RefloatError("E_CLOSED", { what: "store" });
    try {
      return throughGate(work);
    } catch (thrown) {
      throw sqliteError(thrown, this.path);
    }
  }
}
