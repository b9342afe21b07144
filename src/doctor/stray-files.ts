/**
 * Files that a killed write left beside the store or a state file: a temporary name of ours that no process has open.
 * Their bytes were never acknowledged. A file somebody writes at this moment is open, and not one of them.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../platform/io-error.ts";
import { pidsWithOpen } from "../platform/open-by.ts";

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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return []; // what cannot be listed has its own check
  }
}
