/** Small steps of making a file of ours that another program (SQLite) then fills. */
import { chmodSync, closeSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RefloatError } from "../model/errors.ts";
import { guarded, ioError } from "./io-error.ts";
import { randomId } from "./random.ts";

/**
 * An empty file that only we may read; fails when something is there. `shownAs`: what an error names where the file has a
 * name only for now, which tells nobody where it was to be.
 */
export function createPrivateFile(path: string, shownAs = path): void {
  guarded(shownAs, () => closeSync(openSync(path, "wx", 0o600)));
}

/** On disk when it returns, whoever wrote it. */
export function syncFile(path: string): void {
  guarded(path, () => {
    const fd = openSync(path, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

/** For our own temporary files only: gone when it returns, whether it was there or not. */
export function removeTemporary(path: string): void {
  rmSync(path, { force: true });
}

/** Tries to write that much in the folder and takes it away again: the error if it cannot be done, else null. */
export function whyNoRoom(folder: string, bytes: number): RefloatError | null {
  const path = join(folder, `.tmp-${randomId()}`);
  try {
    createPrivateFile(path, folder);
    try {
      writeFileSync(path, new Uint8Array(bytes));
    } finally {
      removeTemporary(path);
    }
    return null;
  } catch (thrown) {
    return ioError(thrown, folder);
  }
}

// Permission bits of our own files and folders.

/** For the store's folder and files only: nobody else's permissions are ours to change. */
export function makePrivate(path: string, mode: 0o600 | 0o700): void {
  guarded(path, () => chmodSync(path, mode));
}
