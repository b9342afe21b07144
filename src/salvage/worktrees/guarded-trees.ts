/**
 * Every repository that lies in a folder which is about to go, and how much of each goes with it. Found by looking at names only; what
 * cannot be looked at, or leads elsewhere, is said (W3).
 */
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
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

/** `folder`: without symlinks. */
export function guardedTrees(folder: string): GuardedFolder {
  const trees: GuardedTree[] = [];
  const refused: RefusedPlace[] = [];
  const refuse = (path: string, thrown: unknown): void => {
    if (!(thrown instanceof RefloatError)) throw thrown;
    refused.push({ path, why: thrown.message });
  };
  let above: Location | null = null;
  try {
    above = locateRepository(folder);
    if (above && above.root !== folder)
      trees.push({ location: above, scope: placeInside(above.root, folder) as PathName, goes: "nothing" });
  } catch (thrown) {
    refuse(folder, thrown);
  }
  let hasLooseFiles = false;
  /** Whether what lies there is in a repository. */
  const waiting: { path: string; isInside: boolean }[] = [{ path: folder, isInside: above !== null }];
  let looked = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (looked++ >= MAX_FOLDERS) {
      refused.push({ path: folder, why: `it has more than ${MAX_FOLDERS} folders` });
      break;
    }
    const { path } = next;
    const entries = entriesOf(path, refused);
    const names = new Set(entries.map(({ name }) => name));
    let isInside = next.isInside;
    if (names.has(".git")) {
      try {
        const location = repositoryAt(path);
        if (location) trees.push({ location, scope: "" as PathName, goes: whatGoes(location, folder) });
        isInside ||= location !== null;
      } catch (thrown) {
        refuse(path, thrown);
        isInside = true;
      }
    } else if (isGitFolder(names)) {
      refused.push({ path, why: "it is a bare repository: its commits cannot be held from here" });
      continue;
    }
    for (const entry of entries) {
      if (entry.name === ".git") continue;
      if (entry.isDirectory()) waiting.push({ path: join(path, entry.name), isInside });
      else if (!isInside) hasLooseFiles = true;
    }
  }
  return { trees, refused, hasLooseFiles };
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
