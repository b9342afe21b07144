/**
 * Opening the store's file: everything that can be wrong with it is found and named before SQLite may touch
 * it, because SQLite would turn most of it into an empty store that looks fine (D5, D6, D7). Never a silent
 * fresh start: a new store is made only where nothing of an old one lies.
 *
 * Creation: the whole schema is built in a temporary file, synced, and linked to its name. So the name never
 * shows a half-made store, and a file of zero bytes is always damage done by somebody else.
 */
import { closeSync, existsSync, openSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { linkDurable, makePrivateDirectory } from "../../platform/durable-file.ts";
import { type FileSystem, fileSystemOf } from "../../platform/file-system.ts";
import { guarded } from "../../platform/io-error.ts";
import { isOpenHere } from "../../platform/open-files.ts";
import { createPrivateFile, removeTemporary, syncFile } from "../../platform/private-file.ts";
import { randomId } from "../../platform/random.ts";
import { markPath } from "../../platform/store-address.ts";
import { Connection, runScript } from "./connection.ts";
import { readMark, writeMark } from "./mark.ts";
import { APPLICATION_ID, MIGRATIONS, migrate, PAGE_BYTES } from "./migrations.ts";
import { noteTail } from "./note-tail.ts";
import { LAST_KEY_SQL, seqOfKey } from "./rows.ts";

const MAGIC = "SQLite format 3\0";
const APPLICATION_ID_OFFSET = 68;
const USER_VERSION_OFFSET = 60;
const HEADER_BYTES = 100;

export interface OpenFileOptions {
  /** Go on with fewer records than the mark says; the caller records the loss. */
  readonly acceptLoss?: boolean;
  readonly fileSystem?: typeof fileSystemOf;
}

/** Opens the store at `path`, making it if nothing is there. Throws one of the E_STORE_ errors. */
export function openStoreFile(path: string, options: OpenFileOptions = {}): Connection {
  const folder = dirname(path);
  makePrivateDirectory(folder);
  // A link may lead to another file system: the log lies beside the link, the database at its end.
  const places = existsSync(path) ? [folder, dirname(realpathSync(path))] : [folder];
  for (const place of places) assertSafeFileSystem(path, (options.fileSystem ?? fileSystemOf)(place));
  if (!existsSync(path)) createStoreFile(path);
  inspectStoreFile(path);
  const connection = new Connection(path);
  try {
    // A backup that is put in the store's place comes without a log.
    if (connection.text("PRAGMA journal_mode") !== "wal") connection.exec("PRAGMA journal_mode = WAL");
    migrate(connection);
    checkTail(connection, { isLossAccepted: options.acceptLoss ?? false });
    return connection;
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

function assertSafeFileSystem(path: string, fs: FileSystem): void {
  if (!fs.isSafeForWal) throw new RefloatError("E_STORE_FS_UNSAFE", { path, fs: fs.name });
}

/** The checks that need no SQLite: kind of file, owner, header. */
function inspectStoreFile(path: string): void {
  const stat = statOf(path);
  if (!stat.isFile())
    throw new RefloatError("E_STORE_NOT_A_FILE", {
      path,
      found: stat.isDirectory() ? "a directory" : "a special file",
    });
  const uid = process.geteuid?.();
  if (uid !== undefined && stat.uid !== uid)
    throw new RefloatError("E_STORE_FOREIGN", { path, uid: stat.uid });
  if (stat.size === 0) throw new RefloatError("E_STORE_TRUNCATED", { path });
  // Closing any descriptor of a file drops all locks this process has on it, SQLite's among them: the next
  // process to close would think it is the last and delete the log under us. Who opened it has looked already.
  if (isOpenHere(stat)) return;
  const header = readHeader(path);
  const isSqlite = header.length === HEADER_BYTES && header.toString("latin1", 0, MAGIC.length) === MAGIC;
  if (!isSqlite || header.readUInt32BE(APPLICATION_ID_OFFSET) !== APPLICATION_ID) {
    // A mark beside it says that this was ours once: then its first page is damaged, not foreign.
    if (readMark(path))
      throw new RefloatError("E_STORE_DAMAGED", { path, why: "its first page is not readable" });
    throw new RefloatError("E_STORE_NOT_OURS", {
      path,
      why: isSqlite ? "another program's database" : "not an SQLite database",
    });
  }
  const version = header.readUInt32BE(USER_VERSION_OFFSET);
  if (version > MIGRATIONS.length)
    throw new RefloatError("E_STORE_NEWER", { path, found: version, known: MIGRATIONS.length });
}

/** Fails of a link that leads nowhere. */
const statOf = (path: string): Stats => guarded(path, () => statSync(path));

function readHeader(path: string): Buffer {
  const buffer = Buffer.alloc(HEADER_BYTES);
  return guarded(path, () => {
    const fd = openSync(path, "r");
    try {
      return buffer.subarray(0, readSync(fd, buffer, 0, HEADER_BYTES, 0));
    } finally {
      closeSync(fd);
    }
  });
}

function checkTail(connection: Connection, { isLossAccepted }: { readonly isLossAccepted: boolean }): void {
  const mark = readMark(connection.path);
  if (!mark) return;
  const store = connection.text("SELECT value FROM meta WHERE key = 'store_id'") ?? "";
  const heads = new Map([...mark.heads.keys()].map((session) => [session, headOf(connection, session)]));
  const short = [...mark.heads].flatMap(([session, expected]) => {
    const found = heads.get(session) ?? 0;
    return found < expected ? [{ session, expected, found }] : [];
  });
  if (short.length === 0 && store === mark.store) return;
  const [first = { session: "(of another store)", expected: 0, found: 0 }, ...others] = short;
  if (!isLossAccepted) throw new RefloatError("E_STORE_TAIL_LOST", { path: connection.path, ...first });
  // Each is written down before the mark forgets it.
  connection.transaction(() => {
    for (const loss of [first, ...others]) noteTail(connection, { ...loss, store: mark.store });
  });
  writeMark(connection.path, { store, heads });
}

function headOf(connection: Connection, session: string): number {
  const row = connection.get(`SELECT ${LAST_KEY_SQL} AS last FROM sessions WHERE id = ?`, session);
  return row?.last ? seqOfKey(Number(row.last)) : 0;
}

function createStoreFile(path: string): void {
  const left = [`${path}-wal`, markPath(path)].filter((beside) => existsSync(beside));
  // Looked at again: another first start may have made the store, and its log, since we found no store.
  if (left.length > 0 && existsSync(path)) return;
  if (left.length > 0) throw new RefloatError("E_STORE_MISSING", { path, left: left.join(", ") });
  const temporary = `${path}.new-${randomId()}`;
  try {
    buildEmptyStore(temporary, path);
    linkNew(temporary, path);
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) removeTemporary(temporary + suffix);
  }
}

/** An empty store with the whole schema, checkpointed and synced, at a path nobody else knows; `shownAs`: where it is to be. */
export function buildEmptyStore(path: string, shownAs = path): void {
  createPrivateFile(path, shownAs);
  runScript(
    path,
    `PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = ${APPLICATION_ID};
     PRAGMA journal_mode = WAL;
     BEGIN; ${MIGRATIONS.map(({ sql }) => sql).join("\n")} PRAGMA user_version = ${MIGRATIONS.length};
     INSERT INTO meta (key, value) VALUES ('store_id', '${randomId()}'); COMMIT;
     PRAGMA wal_checkpoint(TRUNCATE)`,
  );
  syncFile(path);
}

/** Two first starts at once: one links its file, the other finds it there and uses that. */
function linkNew(temporary: string, path: string): void {
  try {
    linkDurable(temporary, path);
  } catch (thrown) {
    if (!(thrown instanceof RefloatError && thrown.code === "E_EXISTS")) throw thrown;
  }
}
