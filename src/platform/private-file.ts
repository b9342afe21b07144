/** Small steps of making a file of ours that another program (SQLite) then fills. */
import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { ioError } from "./io-error.ts";

/** An empty file that only we may read; fails when something is there. */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (thrown) {
    throw ioError(thrown, path);
  }
}

/** On disk when it returns, whoever wrote it. */
export function syncFile(path: string): void {
  try {
    const fd = openSync(path, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    throw ioError(thrown, path);
  }
}

/** For our own temporary files only: gone when it returns, whether it was there or not. */
export function removeTemporary(path: string): void {
  rmSync(path, { force: true });
}
