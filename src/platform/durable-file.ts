/**
 * Whole files that are either there or not, after any crash. What is on disk after each step of a durable write:
 *  1. temporary file created in the target's own directory   target as before; a stray `.tmp-*` may stay
 *  2. all bytes written and synced                            target as before
 *  3. renamed (or linked) to the target's name                old or new target, whole either way
 *  4. directory synced                                        new target: only now the call returns (D1)
 * A failure throws (D6) and takes the temporary file away. Everything is synchronous: the callers are
 * storage threads and short commands, and a step that is not awaited cannot be forgotten.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { crashPoint } from "./crash-point.ts";
import { errnoOf, guarded, ioError } from "./io-error.ts";
import { randomId } from "./random.ts";

export interface FileOptions {
  /** At most these permission bits (the umask takes its own away); 0600 unless said. */
  readonly mode?: number;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

interface SyncState {
  readonly isSynced: boolean;
}
const SYNCED: SyncState = { isSynced: true };
const UNSYNCED: SyncState = { isSynced: false };

/** How file systems without hard links refuse one. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Puts the whole file in place, over an older one. When it returns, it survives a power cut. */
export function writeDurable(path: string, bytes: Uint8Array | string, options: FileOptions = {}): void {
  replace(path, bytes, options, SYNCED);
  syncDirectory(dirname(path));
}

/**
 * The same without syncs: other processes see the old file or the new one, a power cut may bring back the old
 * one or leave it empty. For what may lag behind the truth but never lead (D7).
 */
export function writeAtomic(path: string, bytes: Uint8Array | string, options: FileOptions = {}): void {
  replace(path, bytes, options, UNSYNCED);
}

/** Like `writeDurable`, but throws E_EXISTS, and changes nothing, when something has that name already. */
export function createDurable(path: string, bytes: Uint8Array | string, options: FileOptions = {}): void {
  withTemporary(path, (temporary) => {
    fill(temporary, bytes, options.mode ?? PRIVATE_FILE, SYNCED);
    publish(temporary, path);
  });
}

/** Gives a finished file of the same directory its name, never over another; its old name is gone afterwards. */
export function linkDurable(from: string, path: string): void {
  guarded(from, () => syncPath(from, constants.O_RDONLY));
  guarded(path, () => publish(from, path));
}

/** Puts a finished file of the same directory in the place of another. */
export function replaceDurable(from: string, path: string): void {
  guarded(from, () => syncPath(from, constants.O_RDONLY));
  guarded(path, () => renameSync(from, path));
  syncDirectory(dirname(path));
}

/** Gives a file another name, over what has it; false: it is not there. Both folders are the caller's to sync. */
export function moveFile(from: string, path: string): boolean {
  return guarded(path, () => {
    try {
      renameSync(from, path);
      return true;
    } catch (thrown) {
      if (errnoOf(thrown) === "ENOENT") return false;
      throw thrown;
    }
  });
}

/** Removes the file; one that is not there is removed already. When it returns, it stays removed. */
export function removeDurable(path: string): void {
  guarded(path, () => rmSync(path, { force: true }));
  syncDirectory(dirname(path));
}

/** Makes names created, renamed or removed in the directory survive a power cut. */
export function syncDirectory(dir: string): void {
  guarded(dir, () => syncPath(dir, constants.O_RDONLY | constants.O_DIRECTORY));
}

/**
 * Makes the directory and those above it that are missing, for this user only, durably. One that is there
 * already is left as it is: its permissions are its owner's business.
 */
export function makePrivateDirectory(dir: string): void {
  const missing: string[] = [];
  for (let level = resolve(dir); !isDirectory(level); level = dirname(level)) missing.unshift(level);
  for (const level of missing) {
    guarded(level, () => makeOne(level));
    // Also when another process made it meanwhile: it may not have come to its own sync yet.
    syncDirectory(dirname(level));
  }
}

function makeOne(level: string): void {
  try {
    mkdirSync(level, { mode: PRIVATE_DIRECTORY });
  } catch (thrown) {
    if (errnoOf(thrown) !== "EEXIST" || !isDirectory(level)) throw thrown;
  }
}

function isDirectory(path: string): boolean {
  return guarded(path, () => {
    try {
      return statSync(path).isDirectory();
    } catch (thrown) {
      if (errnoOf(thrown) === "ENOENT") return false;
      throw thrown;
    }
  });
}

function replace(path: string, bytes: Uint8Array | string, options: FileOptions, sync: SyncState): void {
  withTemporary(path, (temporary) => {
    fill(temporary, bytes, options.mode ?? PRIVATE_FILE, sync);
    renameSync(temporary, path);
  });
}

/** The name does not contain the target's: that may already be as long as a name can be. */
function withTemporary(path: string, use: (temporary: string) => void): void {
  const temporary = join(dirname(path), `.tmp-${randomId()}`);
  guarded(path, () => {
    try {
      use(temporary);
    } catch (thrown) {
      removeStray(temporary);
      throw thrown;
    }
  });
}

function fill(temporary: string, bytes: Uint8Array | string, mode: number, { isSynced }: SyncState): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  withDescriptor(openSync(temporary, flags, mode), (fd) => {
    // Given a descriptor it goes on until the last byte is written or one write fails.
    writeFileSync(fd, typeof bytes === "string" ? Buffer.from(bytes) : bytes);
    if (isSynced) fsyncSync(fd);
  });
}

/** The temporary name goes before the directory is synced: one sync makes both changes durable. */
function publish(from: string, path: string): void {
  crashPoint("create.before-link");
  try {
    linkSync(from, path);
  } catch (thrown) {
    throw linkError(thrown, path);
  }
  crashPoint("create.after-link");
  unlinkSync(from);
  syncDirectory(dirname(path));
}

function linkError(thrown: unknown, path: string): RefloatError {
  const code = errnoOf(thrown);
  if (code === "EEXIST") return new RefloatError("E_EXISTS", { path }, thrown);
  if (code === null || !NO_LINKS.has(code)) return ioError(thrown, path);
  const what = `Creating ${path} without overwriting`;
  const instead = "Put it on a file system with hard links.";
  return new RefloatError(
    "E_UNSUPPORTED",
    { what, why: "its file system has no hard links", instead },
    thrown,
  );
}

function syncPath(path: string, flags: number): void {
  withDescriptor(openSync(path, flags), fsyncSync);
}

/** Closes in any case. A failed close after good writes is a failure too: some systems report a full disk there. */
function withDescriptor(fd: number, use: (fd: number) => void): void {
  let isOpen = true;
  try {
    use(fd);
    isOpen = false;
    closeSync(fd);
  } finally {
    if (isOpen) closeSync(fd);
  }
}

/** The failure being reported is the news; that its temporary file could not be removed either is not. */
function removeStray(temporary: string): void {
  try {
    rmSync(temporary, { force: true });
  } catch (_stray) {
    // A stray `.tmp-*` is harmless: step 1 of the header says it may stay.
  }
}
