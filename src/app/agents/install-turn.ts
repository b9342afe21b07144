/**
 * One `init` or `uninstall` of a home at a time. Each looks, notes what was there and changes it; side by side one forgets the note that the other
 * has just written, and what a file was before us is lost (T1). The lock is the kernel's, by SQLite: it ends with its process, whatever killed it.
 *
 *   turn 1  Its file goes when nothing of ours is left. Whoever waited for it has the lock of a file that nobody finds: he begins anew.
 *   turn 2  What is decided is decided inside: what was shown before may be another's work by now.
 */
import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { openLedger } from "../../agents/install/ledger.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import { makePrivateDirectory } from "../../platform/durable-file.ts";
import { removeEmptyFolders } from "../../platform/foreign-file.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { createPrivateFile, removeTemporary } from "../../platform/private-file.ts";
import { Connection } from "../../store/sqlite/connection.ts";
import { StoreLocked } from "../../store/sqlite/sqlite-error.ts";

/** Another one is a second at most; one that is stopped (Ctrl-Z) is not waited for for ever (T5). */
const PATIENCE_MS = 20_000;
const LOOK_AGAIN_MS = 40;
/** What another one's coming or going between two of our steps looks like. */
const MOVING: ReadonlySet<string> = new Set(["EEXIST", "ENOENT"]);

const turnFile = (home: string): string => join(home, "install", "turn");

/** Something was set up here, or begun to be. */
export const hasLedger = (home: string): boolean => existsSync(dirname(turnFile(home)));

export interface InstallTurn {
  /** Nothing of ours is left: the folders that were made for it go with its file. */
  leave(made: readonly string[]): void;
}

export async function inTurn<T>(
  clock: Clock,
  home: string,
  work: (turn: InstallTurn) => Promise<T>,
): Promise<T> {
  const connection = await entered(clock, home);
  let gone: readonly string[] | null = null;
  try {
    return await work({
      leave: (made) => {
        gone = made;
      },
    });
  } finally {
    // Still inside: nobody else has this very file.
    if (gone !== null) {
      openLedger(home).tidy();
      removeTemporary(turnFile(home));
    }
    close(connection);
    if (gone !== null) removeEmptyFolders([...gone, dirname(turnFile(home))]);
  }
}

/** A look from outside, that another one's work ran into: notes go while they are read. It is looked again inside, so that what is damaged is. */
export async function looked<T>(clock: Clock, home: string, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (thrown) {
    if (!(thrown instanceof RefloatError && thrown.code === "E_BAD_LEDGER")) throw thrown;
    return existsSync(turnFile(home)) ? inTurn(clock, home, look) : look();
  }
}

async function entered(clock: Clock, home: string): Promise<Connection> {
  const untilMs = clock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    const connection = enter(home);
    if (connection !== null) return connection;
    if (clock.monotonicMs() > untilMs)
      throw new RefloatError("E_INSTALL_BUSY", { home, seconds: PATIENCE_MS / 1000 });
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

/** Null: somebody is in it, or has just left with its file. */
function enter(home: string): Connection | null {
  const path = turnFile(home);
  const made = missingAbove(home);
  let connection: Connection | null = null;
  try {
    makePrivateDirectory(dirname(path));
    if (!existsSync(path)) createPrivateFile(path);
    const meant = lstatSync(path);
    if (!meant.isFile()) throw new RefloatError("E_BAD_LEDGER", { path, why: "it is no file" });
    connection = new Connection(path);
    // Nothing is ever written to it, on a full disk neither: giving everything back must work there.
    connection.exec("PRAGMA journal_mode = MEMORY");
    connection.exec("BEGIN EXCLUSIVE");
    const now = lstatSync(path, { throwIfNoEntry: false });
    if (now?.ino === meant.ino && now.dev === meant.dev) {
      if (made.length > 0) openLedger(home).keepFolders(made);
      return connection;
    }
  } catch (thrown) {
    const isBusy = thrown instanceof StoreLocked;
    // Its file or its folder went, or came, while it was opened (turn 1).
    const isMoving = !existsSync(path) || MOVING.has(failureOf(thrown));
    connection?.close();
    if (!isBusy && !isMoving) throw thrown;
    return null;
  }
  close(connection);
  return null;
}

/** The system's own name of it, also where it was said of a path by the catalogue. */
function failureOf(thrown: unknown): string {
  return errnoOf(thrown instanceof RefloatError ? thrown.cause : thrown) ?? "";
}

/** A statement may outlive its connection's close, and its transaction with it (connection 4): the lock is given back before. */
function close(connection: Connection): void {
  connection.exec("ROLLBACK");
  connection.close();
}

/** Outermost first. */
function missingAbove(folder: string): readonly string[] {
  const missing: string[] = [];
  for (let level = folder; !existsSync(level); level = dirname(level)) missing.unshift(level);
  return missing;
}
