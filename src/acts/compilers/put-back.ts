/**
 * Changes taken back: each becomes what must be at its paths now and what is to be there (DESIGN 7). Pure. A change
 * with members (a symlink that became a directory, or the reverse) is one group: all of it goes back, or none.
 */
import { createHash } from "node:crypto";
import { isWithin, type PathName, pathToBytes } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { Change } from "../../workspace/compare/states.ts";
import type { PathPut } from "../plans/draft.ts";

/** A path that is left as it is, and why: shown with the plan. */
export interface LeftAlone {
  readonly path: PathName;
  readonly why: string;
  /** It was asked for, and still it cannot be done: somebody named this very path, or the session's own was edited since (W5). */
  readonly isConflict: boolean;
}

const GROUP_CHARS = 12;
const EXECUTABLE = 0o100;

/** Stable: the same change has the same group in every plan. */
export const groupOf = (path: PathName): string =>
  createHash("sha256").update(pathToBytes(path)).digest("hex").slice(0, GROUP_CHARS);

/** `from` of each change is what is to be there again, `to` what is there now. */
export function putsOf(change: Change, isReconstructed: (path: PathName) => boolean): PathPut[] {
  const group = groupOf(change.path);
  return [change, ...change.members].map(({ path, from, to }) => ({
    path,
    group,
    expect: to,
    put: isReconstructed(path) ? withBitsOf(from, to) : from,
  }));
}

/** HEAD knows of permission bits only whether a file can be run: the others stay as they are. */
function withBitsOf(from: PathState, now: PathState): PathState {
  if (from?.kind !== "file" || now?.kind !== "file") return from;
  const isSame = (from.mode & EXECUTABLE) === (now.mode & EXECUTABLE);
  return isSame ? { ...from, mode: now.mode } : from;
}

/** What somebody named on the command line: a path itself, or a folder it lies in. Pure. */
type Naming = "itself" | "by-folder" | "not";

export interface WantedPaths {
  readonly isEmpty: boolean;
  naming(path: PathName): Naming;
}

export function wantedPaths(named: readonly PathName[]): WantedPaths {
  const exact = new Set(named);
  return {
    isEmpty: named.length === 0,
    naming: (path) => {
      if (exact.has(path)) return "itself";
      return named.some((folder) => isWithin(path, folder)) ? "by-folder" : "not";
    },
  };
}
