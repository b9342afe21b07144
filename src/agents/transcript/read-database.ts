/**
 * A transcript in a SQLite database: the rows of one session, read from a copy. Opening the original would write to it (its shared memory,
 * its log when the last reader closes), and after a kill nearly everything is in the log: so the files are copied together, once until they
 * change, and the copy is opened only to be read.
 */
import { type BigIntStats, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { RefloatError } from "../../model/errors.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { TRANSCRIPT_DATABASE_BYTES } from "../../model/limits.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Environment } from "../../platform/places.ts";
import { copyPrivately, makeProcessScratch, removeScratch } from "../../platform/scratch.ts";
import { Connection } from "../../store/sqlite/connection.ts";
import type { SqliteRow, SqliteValue } from "../../store/sqlite/load.ts";
import type { AgentAdapter, DatabaseFormat, Rows } from "../words/adapter.ts";
import type { Heard } from "../words/heard.ts";
import { FILE_BEGIN, type TranscriptEars } from "./ears.ts";
import { lookOnce } from "./known-looks.ts";
import { hearEach, type PieceReading, toEnd } from "./piece-by-piece.ts";
import { sessionRows } from "./session-rows.ts";

const PREFIX = "refloat-transcript-";
const LOG = "-wal";
const BESIDE = [LOG, "-shm", "-journal"];

/** A copy up to this size may lie in memory; a larger one goes to the disk. */
const IN_MEMORY_BYTES = 64 * 1024 * 1024;

/** Its agent may be writing: so often the copying is begun anew until the database did not change meanwhile. */
const COPY_TRIES = 5;

/** `nativeId` null: its newest session. What a damaged database still gave was heard. */
export function* readDatabase(
  path: string,
  format: DatabaseFormat,
  nativeId: string | null,
  ears: TranscriptEars,
): PieceReading<void> {
  const read = yield* inCopy(path, function* ({ tables, rows }) {
    if (!format.recognizes(tables)) return;
    const wanted = nativeId ?? format.sessions(rows)[0]?.nativeId;
    if (wanted !== undefined) yield* hearEach(format.read(rows, wanted), ears);
  });
  switch (read.kind) {
    case "read":
      return;
    case "over-long":
    case "torn":
      ears.damaged({ kind: read.kind, at: FILE_BEGIN });
      return;
    case "other-schema":
      ears.hear({ kind: "unknown", type: read.why }, null);
      return;
  }
}

/** One session's rows, for keeping; false: the database is not as this adapter knows it, or cannot be read whole. */
export function* readingRows(
  path: string,
  format: DatabaseFormat,
  nativeId: string,
  take: (row: JsonObject) => void,
): PieceReading<boolean> {
  const read = yield* inCopy(path, function* ({ tables, rows }) {
    if (!format.recognizes(tables)) return false;
    for (const row of sessionRows(rows, format, nativeId)) {
      take(row);
      yield;
    }
    return true;
  });
  return read.kind === "read" && read.value;
}

/** What may be asked of all that is heard of a session, more than once; null: the database cannot be read. */
export function lookAtHeard<T extends Json>(
  path: string,
  format: DatabaseFormat,
  { nativeId, what, env }: { readonly nativeId: string; readonly what: string; readonly env: Environment },
  use: (heard: Iterable<Heard>) => T,
): T | null {
  return lookOnce({ env, stamp: stampOf(path), what: [path, nativeId, what] }, () => {
    const read = lookedInto(path, ({ tables, rows }) =>
      use(format.recognizes(tables) ? format.read(rows, nativeId) : []),
    );
    return read.kind === "read" ? read.value : null;
  });
}

/** The sessions of a database, newest first; none where it cannot be read. */
export function sessionsInDatabase(
  path: string,
  format: DatabaseFormat,
  env: Environment,
): ReturnType<DatabaseFormat["sessions"]> {
  const found = lookOnce({ env, stamp: stampOf(path), what: [path, "sessions"] }, () => {
    const read = lookedInto(path, ({ tables, rows }) =>
      format.recognizes(tables) ? format.sessions(rows).map((one) => ({ ...one })) : [],
    );
    return read.kind === "read" ? read.value : null;
  });
  return found ?? [];
}

/** Whose database this is, told by its tables; null: nobody's we know. */
export function recognizeDatabase(path: string, adapters: readonly AgentAdapter[]): AgentAdapter | null {
  const read = lookedInto(path, ({ tables }) =>
    adapters.find(({ transcript }) => transcript.storage === "database" && transcript.recognizes(tables)),
  );
  return read.kind === "read" ? (read.value ?? null) : null;
}

interface OpenCopy {
  readonly tables: ReadonlySet<string>;
  readonly rows: Rows;
}

type CopyRead<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "over-long" }
  /** Not a database, or not a whole one. */
  | { readonly kind: "torn" }
  /** Its tables are not as this adapter knows them. */
  | { readonly kind: "other-schema"; readonly why: string };

/**
 * A look without a pause, which may be had twice. Where all of it is in the file itself, that is looked at as it lies there: without locks,
 * shared memory or a log, as something nobody changes. If somebody did meanwhile, the look does not count, and a copy is looked at.
 */
function lookedInto<T>(path: string, use: (copy: OpenCopy) => T): CopyRead<T> {
  // biome-ignore lint/correctness/useYield: a look has no pieces.
  const look = function* (copy: OpenCopy): PieceReading<T> {
    return use(copy);
  };
  const before = stampOf(path);
  if (before !== null && BESIDE.every((suffix) => (statOrNull(path + suffix)?.size ?? 0n) === 0n)) {
    const read = toEnd(opened(immutable(path), look, { readOnly: true }));
    if (read.kind !== "torn" && stampOf(path) === before) return read;
  }
  return toEnd(inCopy(path, look));
}

function immutable(path: string): string {
  const url = pathToFileURL(path);
  url.search = "immutable=1";
  return url.href;
}

function* inCopy<T>(path: string, use: (copy: OpenCopy) => PieceReading<T>): PieceReading<CopyRead<T>> {
  const bytes = ["", LOG].reduce((sum, suffix) => sum + (statOrNull(path + suffix)?.size ?? 0n), 0n);
  if (bytes > BigInt(TRANSCRIPT_DATABASE_BYTES)) return { kind: "over-long" };
  const copy = copyOf(path, bytes);
  copy.users += 1;
  try {
    // Where half of a transaction is in the file, our copy is put back to what it was before, as its agent would do.
    return yield* opened(copy.file, use);
  } finally {
    copy.users -= 1;
  }
}

interface HeldCopy {
  readonly stamp: string | null;
  readonly folder: string;
  readonly file: string;
  users: number;
}

/** The copies this process has: one of each database, until that changes or the process ends. */
const held = new Map<string, HeldCopy>();

function copyOf(path: string, bytes: bigint): HeldCopy {
  const known = held.get(path);
  const stamp = stampOf(path);
  if (known !== undefined && known.stamp === stamp && existsSync(known.file)) return known;
  if (known?.users === 0) removeScratch(known.folder);
  const folder = makeProcessScratch(PREFIX, Number(bytes), bytes <= BigInt(IN_MEMORY_BYTES));
  try {
    // The stamp is from before the copying: what comes meanwhile is copied the next time.
    const copy = { stamp, folder, file: copyInto(folder, path), users: 0 };
    held.set(path, copy);
    return copy;
  } catch (thrown) {
    removeScratch(folder);
    throw thrown;
  }
}

/** Another one whenever something was written; null: it is gone. */
function stampOf(path: string): string | null {
  const stats = ["", ...BESIDE].map((suffix) => statOrNull(path + suffix));
  if (stats[0]?.isFile() !== true) return null;
  return stats.map((stat) => (stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : "-")).join(" ");
}

/**
 * The database first, its log behind it: as long as the database did not change until the log was copied, the log holds whatever
 * is not in it, to a whole transaction (frames of a torn end fail their checksums).
 */
function copyInto(folder: string, path: string): string {
  const copy = join(folder, "copy.db");
  for (let tries = 1; ; tries++) {
    const before = statOrThrow(path);
    copyPrivately(path, copy);
    for (const suffix of BESIDE) copyIfThere(path + suffix, copy + suffix);
    const after = statOrThrow(path);
    const isStill =
      before.mtimeNs === after.mtimeNs && before.size === after.size && before.ino === after.ino;
    if (isStill) return copy;
    if (tries === COPY_TRIES) throw new RefloatError("E_NO_FILE", { path, why: "it is being written" });
    for (const suffix of BESIDE) removeScratch(copy + suffix);
  }
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) copyPrivately(from, to);
}

function* opened<T>(
  file: string,
  use: (copy: OpenCopy) => PieceReading<T>,
  options: { readonly readOnly?: boolean } = {},
): PieceReading<CopyRead<T>> {
  try {
    const connection = new Connection(file, options);
    try {
      connection.exec("PRAGMA query_only = ON");
      const rows: Rows = (sql, ...values) => connection.all(sql, ...values).map(plainRow);
      return { kind: "read", value: yield* use({ tables: tablesOf(rows), rows }) };
    } finally {
      connection.close();
    }
  } catch (thrown) {
    const failed = failureOf(thrown);
    if (failed === null) throw thrown;
    return failed;
  }
}

/** What the store's words for a broken store say of somebody else's database. */
function failureOf(thrown: unknown): CopyRead<never> | null {
  if (!(thrown instanceof RefloatError)) return null;
  if (thrown.code !== "E_STORE_DAMAGED" && thrown.code !== "E_STORE_NOT_OURS") return null;
  const why = thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
  return /^no such (?:table|column)/.test(why) ? { kind: "other-schema", why } : { kind: "torn" };
}

/** Real tables only: a view of somebody's making could take for ever. */
const tablesOf = (rows: Rows): ReadonlySet<string> =>
  new Set(
    [...rows("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")].map(({ name }) =>
      String(name),
    ),
  );

const plainRow = (row: SqliteRow): JsonObject =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]));

function plain(value: SqliteValue): string | number | null {
  if (typeof value === "bigint") return Number(value);
  return value instanceof Uint8Array ? null : value;
}

function statOrNull(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}

function statOrThrow(path: string): BigIntStats {
  const stat = statOrNull(path);
  if (stat?.isFile() !== true) throw new RefloatError("E_NO_FILE", { path, why: "there is no such file" });
  return stat;
}
