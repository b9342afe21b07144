/**
 * Every repository that lies in a folder which is about to go, and how much of each goes with it. Found by looking at names only; what
 * cannot be looked at, or leads elsewhere, is said (W3).
 */
import { type Dirent, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import { isGitFolder, type Location, locateRepository, repositoryAt } from "../../workspace/git/locate.ts";

export interface GuardedTree {
  readonly location: Location;
  /** Of it, only what lies in this folder goes; "": all of it. */
  readonly scope: PathName;
  /** Its commits go with it, or stay with the repository elsewhere; "nothing": a folder of it goes, no more. */
  readonly goes: "repository" | "tree" | "nothing";
}

export interface RefusedPlace {
  readonly path: string;
  readonly why: string;
}

export interface GuardedFolder {
  readonly trees: readonly GuardedTree[];
  readonly refused: readonly RefusedPlace[];
  /** Files that are in no repository. */
  readonly hasLooseFiles: boolean;
}

/** Looked through at most: a folder with more is a disk, and says so. */
const MAX_FOLDERS = 300_000;

/** A folder that is to be looked into. */
interface Waiting {
  readonly path: string;
  /** What lies there is in a repository. */
  readonly isInside: boolean;
  /** It is git's own, or lies in it: work trees may be in there, and repositories of submodules (W1). */
  readonly isGits: boolean;
}

/** `folder`: without symlinks. */
export function guardedTrees(folder: string): GuardedFolder {
  const look = new Look(folder);
  look.above();
  look.through();
  return look.found();
}

class Look {
  readonly #folder: string;
  readonly #trees: GuardedTree[] = [];
  readonly #refused: RefusedPlace[] = [];
  /** Repositories without a work tree beside them, in git's own folders: those of submodules. */
  readonly #modules: string[] = [];
  readonly #waiting: Waiting[] = [];
  #hasLooseFiles = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The repository around the folder, if there is one. */
  above(): void {
    const folder = this.#folder;
    let above: Location | null = null;
    try {
      above = locateRepository(folder);
      const around = above ? gitFolderAround(folder, above.root) : null;
      if (around !== null)
        this.#refused.push({ path: folder, why: `it is a part of git's own folder ${around}` });
      else if (above && above.root !== folder)
        this.#trees.push({
          location: above,
          scope: placeInside(above.root, folder) as PathName,
          goes: "nothing",
        });
    } catch (thrown) {
      this.#refuse(folder, thrown);
    }
    this.#waiting.push({ path: folder, isInside: above !== null, isGits: false });
  }

  through(): void {
    let looked = 0;
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      if (looked++ >= MAX_FOLDERS) {
        this.#refused.push({ path: this.#folder, why: `it has more than ${MAX_FOLDERS} folders` });
        return;
      }
      this.#into(next);
    }
  }

  /** A submodule that is checked out nowhere has its commits here, and only here we cannot look at them. */
  found(): GuardedFolder {
    const open = new Set(this.#trees.flatMap(({ location }) => [location.gitDir, location.commonDir]));
    const closed = this.#modules
      .filter((path) => !open.has(path))
      .map((path) => ({
        path,
        why: "it is the repository of a submodule that is not checked out: its commits cannot be held from here (`git submodule update --init` checks it out)",
      }));
    return {
      trees: this.#trees,
      refused: [...this.#refused, ...closed],
      hasLooseFiles: this.#hasLooseFiles,
    };
  }

  #into({ path, isInside: wasInside, isGits }: Waiting): void {
    const entries = entriesOf(path, this.#refused);
    const names = new Set(entries.map(({ name }) => name));
    const isRepository = names.has(".git") && this.#repositoryIn(path);
    const isInside = wasInside || isRepository;
    if (isGitFolder(names) && !isRepository) {
      if (isGits) this.#modules.push(path);
      else {
        this.#refused.push({ path, why: "it is a bare repository: its commits cannot be held from here" });
        return;
      }
    }
    for (const entry of entries) {
      const below = join(path, entry.name);
      if (entry.name === ".git") this.#intoGits(below, entry, isRepository);
      else if (entry.isDirectory()) this.#waiting.push({ path: below, isInside, isGits });
      else if (!isInside) this.#hasLooseFiles = true;
    }
  }

  /** Of a repository only the folders in it matter; of a folder that has no more than the name, git sees nothing at all. */
  #intoGits(path: string, entry: Dirent, isRepository: boolean): void {
    if (!entry.isDirectory()) return;
    const entries = entriesOf(path, this.#refused);
    if (!isRepository && entries.length > 0)
      this.#refused.push({ path, why: "it has the name of git's own folder and is none: git looks past it" });
    for (const below of entries)
      if (below.isDirectory())
        this.#waiting.push({ path: join(path, below.name), isInside: true, isGits: true });
  }

  /** Also one that may not be entered. */
  #repositoryIn(path: string): boolean {
    try {
      const location = repositoryAt(path);
      if (location)
        this.#trees.push({ location, scope: "" as PathName, goes: whatGoes(location, this.#folder) });
      return location !== null;
    } catch (thrown) {
      this.#refuse(path, thrown);
      return true;
    }
  }

  #refuse(path: string, thrown: unknown): void {
    if (!(thrown instanceof RefloatError)) throw thrown;
    this.#refused.push({ path, why: thrown.message });
  }
}

/** A folder of git's own that this one is or lies in, below the top of the work tree. Null: none. */
function gitFolderAround(folder: string, root: string): string | null {
  for (let level = folder; level !== root && level !== dirname(level); level = dirname(level))
    if (isGitFolder(new Set(entriesOf(level, []).map(({ name }) => name)))) return level;
  return null;
}

function whatGoes({ commonDir, kind }: Location, folder: string): GuardedTree["goes"] {
  return kind === "linked" && placeInside(folder, commonDir) === null ? "tree" : "repository";
}

function entriesOf(path: string, refused: RefusedPlace[]): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === null) throw thrown;
    if (code !== "ENOENT") refused.push({ path, why: `nobody may look into it (${code})` });
    return [];
  }
}
