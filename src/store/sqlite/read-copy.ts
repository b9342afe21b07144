/**
 * Reading a store that cannot be opened where it lies (D6): a full disk or a read-only file system leaves
 * SQLite no room for its shared memory file, and then it cannot even read. The database and its log are
 * copied into memory (or the temporary folder) and read there; nothing is written to the original.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RefloatError } from "../../model/errors.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { copyPrivately, makeScratchDirectory, removeScratch } from "../../platform/scratch.ts";
import { Connection } from "./connection.ts";
import type { SqliteEngine } from "./engine.ts";

export interface StoreCopy {
  readonly connection: Connection;
  /** Closes the engine on it and removes the copy. */
  remove(engine: SqliteEngine): void;
}

/** Throws `why` when there is nothing to copy: then the store truly cannot be read. */
export function openCopy(path: string, why: RefloatError): StoreCopy {
  const size = sizeOf(path);
  if (size === 0) throw why;
  const folder = makeScratchDirectory("refloat-copy-", size);
  try {
    const copyPath = join(folder, "store.db");
    copyPrivately(path, copyPath);
    if (existsSync(`${path}-wal`)) copyPrivately(`${path}-wal`, `${copyPath}-wal`);
    const connection = new Connection(copyPath);
    return {
      connection,
      remove: () => {
        connection.close();
        removeScratch(folder);
      },
    };
  } catch (thrown) {
    removeScratch(folder);
    throw thrown;
  }
}

/** 0 also when it cannot be asked: then it cannot be copied either. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return 0;
  }
}
