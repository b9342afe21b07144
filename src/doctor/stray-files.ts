/**
 * Files that a killed write left beside the store or a state file: a temporary name of ours that no process has open.
 * Their bytes were never acknowledged. A file somebody writes at this moment is open, and not one of them.
 * And files in the tree that an act set aside under a name of its own and could not clear away: they may hold the only copy.
 */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { SLOT_NAME } from "../acts/primitive/tree/tree.ts";
import { nulFields, pathForDisplay, pathFromBytes } from "../model/path-name.ts";
import { errnoOf } from "../platform/io-error.ts";
import { pidsWithOpen } from "../platform/open-files.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";

/** `.tmp-ID` of a durable write; `NAME.new-ID` of a store or a backup that is being made, with its log. */
const STRAY = /^\.tmp-[0-9a-z]{20}$|\.new-[0-9a-z]{20}(-wal|-shm)?$/;

export function strayFilesIn(folders: readonly string[]): string[] {
  return [...new Set(folders)].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => STRAY.test(name))
      .map((name) => join(folder, name))
      // Null: this system does not tell who has a file open; then nothing is said of it.
      .filter((path) => pidsWithOpen(path)?.length === 0),
  );
}

/** Only git lists a whole tree in bounded time; in a plain folder they are not looked for. */
export async function straySlotsIn(workspace: Workspace): Promise<string[]> {
  if (workspace.kind !== "git") return [];
  const repository = await workspace.repository();
  const listed = await repository.run(["ls-files", "-z", "--others"]);
  return [...nulFields(listed)]
    .map((bytes) => pathForDisplay(pathFromBytes(bytes)))
    .filter((path) => SLOT_NAME.test(basename(path)))
    .map((path) => join(workspace.root, path));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return []; // what cannot be listed has its own check
  }
}
