/** A path of the workspace as the file system takes it: by its bytes. For looking only; reading goes by descriptor. */
import { lstatSync, type Stats } from "node:fs";
import { type PathName, pathToBytes } from "../../model/path-name.ts";
import { errnoOf } from "../../platform/io-error.ts";

export const pathAt = (root: string, path: PathName): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), pathToBytes(path)]);

/** What is there, or null. A link is not followed. */
export function lookAt(root: string, path: PathName): Stats | null {
  try {
    return lstatSync(pathAt(root, path), { throwIfNoEntry: false }) ?? null;
  } catch (thrown) {
    // A parent that is a file, or that may not be entered: nothing that can be seen.
    if (errnoOf(thrown) === "EACCES" || errnoOf(thrown) === "ENOTDIR") return null;
    throw thrown;
  }
}

export const isFolderAt = (root: string, path: PathName): boolean =>
  lookAt(root, path)?.isDirectory() ?? false;
