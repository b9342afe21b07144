/**
 * The files of an open store, under their names (D1, T1). SQLite goes on writing into files that were deleted,
 * renamed or replaced since it opened them: nobody finds what is committed there, and the next start makes an
 * empty store. So every commit looks whether the names still lead to the files that are open, before it counts
 * and again before it is acknowledged.
 *
 * A second name (a hard link) is as bad: each name has a log of its own, and what one process commits through
 * its log the others write over.
 *
 *  files 1  Whoever gives or takes a name changes the folder it is in. While the folder is as it was when all of its names
 *       were last found in place, one look at it says so (P1: three looks before and three after each commit were a fourth of an
 *       append). What changes within a tick of the file system's clock leaves the same time: a folder that has just changed
 *       proves nothing, and then every name is looked at.
 */
import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import { guarded } from "../../platform/io-error.ts";

type FileId = Pick<Stats, "dev" | "ino">;
type FolderLook = FileId & Pick<Stats, "ctimeMs">;

/** Five ticks of the slowest kernel: after them a change of the folder has another time. */
const TICKS_MS = 50;
/** FAT counts in two seconds, others in one: then the time has no fraction. */
const COARSE_TICKS_MS = 2500;

export class HeldFiles {
  readonly #path: string;
  readonly #files = new Map<string, FileId | null>();
  /** Null: the name is a link, which leads out of its folder. */
  readonly #folder: string | null;
  /** As it was when every name was last found in place; null: it had just changed. */
  #proof: FolderLook | null = null;

  /** To be made when the store was read once: then its log and its shared memory are there. */
  constructor(path: string) {
    this.#path = path;
    // SQLite keeps the log beside the file itself, wherever the link to it lies.
    const real = realpathSync(path);
    for (const file of [path, `${real}-wal`, `${real}-shm`]) this.#files.set(file, idOf(file));
    this.#folder = lstatSync(path).isSymbolicLink() ? null : dirname(path);
  }

  /** E_STORE_MOVED when a name is gone or leads to another file. */
  assertInPlace(): void {
    const folder = this.#folder === null ? null : (statOf(this.#folder) ?? null);
    const proof = this.#proof;
    if (proof && folder?.ctimeMs === proof.ctimeMs && folder.ino === proof.ino && folder.dev === proof.dev)
      return; // files 1
    this.#proof = null;
    this.#lookAtAll();
    const isKnown = [...this.#files.values()].every((held) => held !== null);
    if (folder && isKnown && isOld(folder.ctimeMs)) this.#proof = folder;
  }

  #lookAtAll(): void {
    for (const [file, held] of this.#files) {
      const now = idOf(file);
      if (held === null) this.#files.set(file, now);
      else if (now?.ino !== held.ino || now.dev !== held.dev)
        throw new RefloatError("E_STORE_MOVED", { path: this.#path, file });
    }
  }
}

const isOld = (ctimeMs: number): boolean =>
  systemClock.nowMs() - ctimeMs > (Number.isInteger(ctimeMs / 1000) ? COARSE_TICKS_MS : TICKS_MS);

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
