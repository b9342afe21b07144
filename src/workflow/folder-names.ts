/** What lies in folders, each listed once: a step may name dozens of artifacts. */
import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { errnoOf } from "../platform/io-error.ts";

export interface FolderNames {
  /** Everything in a folder. */
  list(folder: string): ReadonlySet<string>;
  /** Whether one name is there: from the listing where there is one, else by one look, which is cheaper than a listing. */
  has(folder: string, name: string): boolean;
  /** The same for a path below a folder that many files share: looked at once. */
  hasBelow(folder: string, path: string): boolean;
}

const NOTHING: ReadonlySet<string> = new Set();
/** A folder that is not there or may not be listed shows nothing; whoever then reads a file in it gets the real error. */
const SHOWS_NOTHING: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

export function createFolderNames(): FolderNames {
  const listed = new Map<string, ReadonlySet<string>>();
  const looked = new Map<string, boolean>();
  const listOnce = (folder: string): ReadonlySet<string> => {
    const seen = listed.get(folder);
    if (seen) return seen;
    const names = list(folder);
    listed.set(folder, names);
    return names;
  };
  return {
    list: listOnce,
    has: (folder, name) => listed.get(folder)?.has(name) ?? existsSync(`${folder}/${name}`),
    hasBelow: (folder, path) => {
      const whole = resolve(folder, path);
      const seen = looked.get(whole);
      if (seen !== undefined) return seen;
      const isThere = existsSync(whole);
      looked.set(whole, isThere);
      return isThere;
    },
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
