/**
 * Which repository a directory belongs to, found by looking at files only: no git runs before this has said
 * where it may look. A `.git` that leads anywhere but to a registered worktree or a submodule of this very
 * directory is refused, because git would follow it and hand out somebody else's files.
 */
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { errnoOf } from "../../platform/io-error.ts";

export interface Location {
  /** The top of the work tree: the workspace. */
  readonly root: string;
  readonly gitDir: string;
  /** Where objects, branches and configuration are; of a linked worktree another folder than gitDir. */
  readonly commonDir: string;
  readonly kind: "main" | "linked" | "submodule";
}

/** What makes a folder a repository. */
const NEEDED = ["HEAD", "objects", "refs"];

/** A bare one, or a `.git`: its files are git's own, and no work (W1). */
export const isGitFolder = (names: ReadonlySet<string>): boolean => NEEDED.every((name) => names.has(name));

/** A pointer file is one line; a longer one is something else. */
const MAX_POINTER_BYTES = 64 * 1024;

/** Null: no repository, a plain folder. In a bare repository there is no work tree, and its files are no folder's: E_GIT_BARE. */
export function locateRepository(directory: string): Location | null {
  const levels = levelsOf(realpathSync(directory));
  for (const level of levels) {
    const found = repositoryAt(level);
    if (found) return found;
  }
  const bare = levels.find((level) => NEEDED.every((name) => exists(join(level, name))));
  if (bare !== undefined) throw new RefloatError("E_GIT_BARE", { path: bare });
  return null;
}

/** The directory and everything above it. */
function levelsOf(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...levelsOf(parent)];
}

/** The repository whose work tree's top is exactly this directory, or null. */
export function repositoryAt(root: string): Location | null {
  const path = join(root, ".git");
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  if (stat.isSymbolicLink()) throw redirected(root, "its .git is a symbolic link");
  if (stat.isDirectory()) return mainRepository(root, path);
  return stat.isFile() ? pointedTo(root, path) : null;
}

function mainRepository(root: string, gitDir: string): Location | null {
  if (exists(join(gitDir, "commondir"))) throw redirected(root, "its .git has a commondir");
  const missing = NEEDED.filter((name) => !exists(join(gitDir, name)));
  // A folder that only has the name is no repository, for git neither. One with a part missing was one: it
  // is not a plain folder for that, and nothing is read from what is left of it.
  if (missing.length === NEEDED.length) return null;
  if (missing.length > 0)
    throw new RefloatError("E_GIT_FAILED", {
      command: "rev-parse",
      why: `${gitDir} has no ${missing.join(", ")}`,
    });
  return { root, gitDir, commonDir: gitDir, kind: "main" };
}

function pointedTo(root: string, pointer: string): Location {
  const target = /^gitdir: (.+?)\n?$/s.exec(readPointer(pointer))?.[1];
  if (target === undefined) throw redirected(root, "its .git file does not say where");
  const gitDir = realpathOr(resolve(root, target), root);
  const common = join(gitDir, "commondir");
  if (!exists(common)) {
    if (!`${gitDir}${sep}`.includes(`${sep}modules${sep}`))
      throw redirected(root, "its .git file leads to a folder that is no submodule's");
    return { root, gitDir, commonDir: gitDir, kind: "submodule" };
  }
  const commonDir = realpathOr(resolve(gitDir, readPointer(common).trim()), root);
  const isRegistered = dirname(gitDir) === join(commonDir, "worktrees") && backPointer(gitDir) === pointer;
  if (!isRegistered)
    throw redirected(root, "its .git file leads to a repository that does not know this worktree");
  return { root, gitDir, commonDir, kind: "linked" };
}

/** What the registered worktree says its own .git file is. */
function backPointer(gitDir: string): string | null {
  const file = join(gitDir, "gitdir");
  if (!exists(file)) return null;
  const named = resolve(gitDir, readPointer(file).replace(/\n$/, ""));
  return exists(named) ? join(realpathSync(dirname(named)), ".git") : null;
}

function readPointer(path: string): string {
  if (statSync(path).size > MAX_POINTER_BYTES) return "";
  return readFileSync(path, "utf8");
}

function realpathOr(path: string, root: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP")
      throw redirected(root, "what its .git file names is not there");
    throw thrown;
  }
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

export const redirected = (root: string, why: string): RefloatError =>
  new RefloatError("E_GIT_REDIRECTED", { path: root, why });
