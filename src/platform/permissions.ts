/** Permission bits of our own files and folders. */
import { chmodSync } from "node:fs";
import { ioError } from "./io-error.ts";

/** For the store's folder and files only: nobody else's permissions are ours to change. */
export function makePrivate(path: string, mode: 0o600 | 0o700): void {
  try {
    chmodSync(path, mode);
  } catch (thrown) {
    throw ioError(thrown, path);
  }
}
