/**
 * The recorder's marks of open turns (`open/` of the home, below each folder's own path): whose process it is while a turn is open, empty when
 * it ended, and who was told of one that did not. A shell cannot tell how old they are; whoever drains the inbox takes the old ones away (T5).
 */
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { OPEN_MARKS_LOOKED_AT, OPEN_MARKS_MS } from "../../model/limits.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { removeTemporary } from "../../platform/private-file.ts";
import { isOwnFolder } from "./inbox-folder.ts";

/** `.AGENT.ID!`, `.told.AGENT.ID!`, `.run.MARK!`: nothing else there is ours. */
const MARK = /^\.[a-z0-9-]+\..*!$/u;

export const openMarksOf = (home: string): string => join(home, "open");

export function dropOldMarks(home: string, nowMs: number): void {
  let left = OPEN_MARKS_LOOKED_AT;
  const look = (folder: string): void => {
    for (const entry of entriesOf(folder)) {
      left -= 1;
      if (left < 0) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) look(path);
      else if (entry.isFile() && MARK.test(entry.name) && isOld(path, nowMs)) removeTemporary(path);
    }
  };
  const open = openMarksOf(home);
  if (isOwnFolder(open)) look(open);
}

const isOld = (path: string, nowMs: number): boolean =>
  nowMs - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs) > OPEN_MARKS_MS;

/** A folder that cannot be read costs itself alone (D6). */
const NOTHING_THERE: ReadonlySet<string | null> = new Set(["ENOENT", "ENOTDIR", "EACCES"]);

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (thrown) {
    if (NOTHING_THERE.has(errnoOf(thrown))) return [];
    throw thrown;
  }
}
