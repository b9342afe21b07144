/**
 * What git keeps of a repository or a work tree beside objects and refs: HEAD, the index, what a rebase is in the middle of, logs, hooks,
 * the user's own configuration. It goes with the tree and is nowhere else.
 */
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../../platform/io-error.ts";

export interface GitFile {
  /** In git's folder. */
  readonly name: string;
  readonly mode: number;
  readonly bytes: Buffer;
}

export interface GitFiles {
  readonly files: readonly GitFile[];
  /** Too large, or not to be read, by name. */
  readonly leftOut: readonly string[];
}

/** Objects and refs are held as a bundle; what belongs to others (work trees, submodules) with them. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  "objects",
  "refs",
  "packed-refs",
  "worktrees",
  "modules",
  "lfs",
]);
/** An index of a million files is a hundred megabytes. */
const MAX_FILE_BYTES = 128 * 1024 * 1024;
const MAX_FILES = 10_000;
const MODE = 0o777;

export function gitFilesIn(gitDir: string, below: readonly string[] = [""]): GitFiles {
  const files: GitFile[] = [];
  const leftOut: string[] = [];
  const waiting = [...below];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const stat = lstatSync(join(gitDir, name), { throwIfNoEntry: false });
    if (stat?.isDirectory()) waiting.push(...namesIn(gitDir, name));
    else if (stat?.isFile()) {
      const bytes =
        stat.size <= MAX_FILE_BYTES && files.length < MAX_FILES ? readOrNull(join(gitDir, name)) : null;
      if (bytes === null) leftOut.push(name);
      else files.push({ name, mode: stat.mode & MODE, bytes });
    }
  }
  return { files, leftOut };
}

/** What git is in the middle of, as files. */
const UNDER_WAY = [
  "MERGE_HEAD",
  "MERGE_MSG",
  "MERGE_MODE",
  "rebase-merge",
  "rebase-apply",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "BISECT_LOG",
  "BISECT_START",
  "BISECT_TERMS",
  "sequencer",
];

export const filesUnderWay = (gitDir: string): GitFiles => gitFilesIn(gitDir, UNDER_WAY);

const isSample = (name: string): boolean => name.startsWith("hooks/") && name.endsWith(".sample");
const isLock = (name: string): boolean => name.endsWith(".lock");

function namesIn(gitDir: string, folder: string): string[] {
  return readdirSync(join(gitDir, folder))
    .filter((name) => folder !== "" || !ELSEWHERE.has(name))
    .map((name) => (folder === "" ? name : `${folder}/${name}`))
    .filter((name) => !isSample(name) && !isLock(name));
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}
