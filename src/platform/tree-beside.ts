/**
 * A whole tree gets its place by one rename: it is made in a folder of ours beside that place, under a name nobody else
 * uses, and is renamed when it is whole. What is on disk after each step:
 *  1. `.refloat-<token>` beside the place, with the tree growing in it     nothing at the place
 *  2. the tree has the place's name                                         the place, whole
 *  3. the folder beside is gone
 * A rename never goes over anything: a file or a folder with something in it makes it fail, and nothing was changed.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { syncDirectory } from "./durable-file.ts";
import { diskError, errnoOf } from "./io-error.ts";

export interface TreeBeside {
  /** The place it will have. */
  readonly place: string;
  readonly folder: string;
  readonly tree: string;
  /** Room for an index of our own. */
  readonly index: string;
}

const PRIVATE_DIRECTORY = 0o700;
/** How the kernel says that something has the name. */
const TAKEN: ReadonlySet<string> = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR"]);

export function treeBeside(place: string, token: string): TreeBeside {
  const folder = join(dirname(place), `.refloat-${token}`);
  return { place, folder, tree: join(folder, basename(place)), index: join(folder, "index") };
}

/** What an earlier start left there is used again: everything in it is written anew. */
export function makeTreeBeside({ folder, tree, index }: TreeBeside): void {
  guarded(folder, () => {
    mkdirSync(dirname(folder), { recursive: true });
    if (!existsSync(folder)) mkdirSync(folder, { mode: PRIVATE_DIRECTORY });
    mkdirSync(tree, { recursive: true });
    for (const left of [index, `${index}.lock`]) rmSync(left, { force: true });
  });
}

/** The place is a folder that holds this one file, of git's own making, and nothing else: both go. E_EXISTS otherwise. */
export function vacate({ place }: TreeBeside, only: string): void {
  guarded(place, () => {
    if (readdirSync(place).join("\0") !== only) throw new RefloatError("E_EXISTS", { path: place });
    unlinkSync(join(place, only));
    rmdirSync(place);
  });
}

/** E_EXISTS: something has the place by now. */
export function giveItsPlace({ place, tree }: TreeBeside): void {
  guarded(place, () => {
    try {
      if (lstatSync(place, { throwIfNoEntry: false })) throw new RefloatError("E_EXISTS", { path: place });
      renameSync(tree, place);
    } catch (thrown) {
      if (TAKEN.has(errnoOf(thrown) ?? "")) throw new RefloatError("E_EXISTS", { path: place }, thrown);
      throw thrown;
    }
  });
  syncDirectory(dirname(place));
}

/** Only what is ours: a folder with anything else in it stays. */
export function dropBeside({ folder, index }: TreeBeside): void {
  guarded(folder, () => {
    if (!existsSync(folder)) return;
    for (const left of [index, `${index}.lock`]) rmSync(left, { force: true });
    try {
      rmdirSync(folder);
    } catch (thrown) {
      if (!TAKEN.has(errnoOf(thrown) ?? "")) throw thrown;
    }
  });
}

function guarded<Result>(path: string, use: () => Result): Result {
  try {
    return use();
  } catch (thrown) {
    throw diskError(thrown, path);
  }
}
