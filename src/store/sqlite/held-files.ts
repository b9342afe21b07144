/**
 * The files of an open store, under their names (D1, T1). SQLite goes on writing into files that were deleted,
 * renamed or replaced since it opened them: nobody finds what is committed there, and the next start makes an
 * empty store. So every commit looks whether the names still lead to the files that are open, before it counts
 * and again before it is acknowledged.
 *
 * A second name (a hard link) is as bad: each name has a log of its own, and what one process commits through
 * its log the others write over.
 */
import { readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { guarded } from "../../platform/io-error.ts";

type FileId = Pick<Stats, "dev" | "ino">;

export class HeldFiles {
  readonly #path: string;
  readonly #files = new Map<string, FileId | null>();

  /** To be made when the store was read once: then its log and its shared memory are there. */
  constructor(path: string) {
    this.#path = path;
    // SQLite keeps the log beside the file itself, wherever the link to it lies.
    const real = realpathSync(path);
    for (const file of [path, `${real}-wal`, `${real}-shm`]) this.#files.set(file, idOf(file));
  }

  /** E_STORE_MOVED when a name is gone or leads to another file. */
  assertInPlace(): void {
    for (const [file, held] of this.#files) {
      const now = idOf(file);
      if (held === null) this.#files.set(file, now);
      else if (now?.ino !== held.ino || now.dev !== held.dev)
        throw new RefloatError("E_STORE_MOVED", { path: this.#path, file });
    }
  }
}

const idOf = (file: string): FileId | null => statOf(file) ?? null;

/** What a killed creation or salvage leaves: a second name that nobody opens. */
const isLeftover = (name: string, store: string): boolean =>
  name.startsWith(`${store}.new-`) || name.startsWith(`${store}.salvage-`);

/** Refuses a file that has another name besides this one. */
export function assertOnlyName(path: string): void {
  for (;;) {
    const stat = statOf(path);
    if (!stat?.isFile() || stat.nlink === 1) return;
    const leftovers = leftoversOf(path, stat);
    if (stat.nlink - leftovers === 1) return;
    // Another first start may just have removed the name it made the store under: then the count has changed.
    if (statOf(path)?.nlink !== stat.nlink) continue;
    throw new RefloatError("E_UNSUPPORTED", {
      what: `Opening ${path}`,
      why: "its file has a second name (a hard link), and each name would have a log of its own",
      instead: "Remove the other name, or copy the store with `refloat store backup`.",
    });
  }
}

const statOf = (path: string): Stats | undefined =>
  guarded(path, () => statSync(path, { throwIfNoEntry: false }));

function leftoversOf(path: string, file: FileId): number {
  const real = realpathSync(path);
  const folder = dirname(real);
  return readdirSync(folder).filter((name) => {
    if (!isLeftover(name, basename(real))) return false;
    const found = idOf(join(folder, name));
    return found?.ino === file.ino && found.dev === file.dev;
  }).length;
}
