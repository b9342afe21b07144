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

/** `.AGENT.ID!`, `.told.AGENT.ID!`, `.run.MARK!`, `.once.AGENT.WHEN.ID.PROCESS.N!`, `.due.notice!`: nothing else there is ours. */
const MARK = /^\.[a-z0-9-]+\..*!$/u;

export const openMarksOf = (home: string): string => join(home, "open");

export function dropOldMarks(home: string, nowMs: number): void {
  for (const path of marksBelow(openMarksOf(home))) if (isOld(path, nowMs)) removeTemporary(path);
}

/** Marks of a folder and of those below it, as many as are looked at (T5). */
export function marksBelow(folder: string): readonly string[] {
  let left = OPEN_MARKS_LOOKED_AT;
  const found: string[] = [];
  const look = (here: string): void => {
    for (const entry of entriesOf(here)) {
      left -= 1;
      if (left < 0) return;
      const path = join(here, entry.name);
      if (entry.isDirectory()) look(path);
      else if (entry.isFile() && MARK.test(entry.name)) found.push(path);
    }
  };
  if (isOwnFolder(folder)) look(folder);
  return found;
}

/** A turn that was begun, and whose process that was; or one that somebody was told of. */
export type TurnMark =
  | { readonly kind: "turn"; readonly agent: string; readonly nativeId: string; readonly owner: MarkOwner }
  | { readonly kind: "told"; readonly agent: string; readonly nativeId: string };

export interface MarkOwner {
  readonly pid: number;
  readonly started: number;
  readonly boot: string;
  readonly pidNamespace: string;
}

/** `name`: the file's own. Null: no turn's, or one that ended. Pure. */
export function turnMark(name: string, content: string): TurnMark | null {
  const words = content.trim().split(" ");
  if (name.startsWith(".told.")) {
    const [agent = "", nativeId = ""] = words;
    return words.length === 2 ? { kind: "told", agent, nativeId } : null;
  }
  const [, agent, nativeId] = /^\.([a-z0-9-]+)\.([A-Za-z0-9_-]+)!$/u.exec(name) ?? [];
  const [pid, started, boot = "", pidNamespace = ""] = words;
  if (agent === undefined || nativeId === undefined || words.length !== 5) return null;
  return {
    ...{ kind: "turn", agent, nativeId },
    owner: { pid: Number(pid), started: Number(started), boot, pidNamespace },
  };
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
