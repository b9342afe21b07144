/** What lies in folders, each listed once: a step may name dozens of artifacts. */
import { readdirSync } from "node:fs";
import { errnoOf } from "../platform/io-error.ts";

export type FolderNames = (folder: string) => ReadonlySet<string>;

const NOTHING: ReadonlySet<string> = new Set();
/** A folder that is not there or may not be listed shows nothing; whoever then reads a file in it gets the real error. */
const SHOWS_NOTHING: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

export function createFolderNames(): FolderNames {
  const known = new Map<string, ReadonlySet<string>>();
  return (folder) => {
    const seen = known.get(folder);
    if (seen) return seen;
    const names = list(folder);
    known.set(folder, names);
    return names;
  };
}

function list(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code !== null && SHOWS_NOTHING.has(code)) return NOTHING;
    throw thrown;
  }
}
