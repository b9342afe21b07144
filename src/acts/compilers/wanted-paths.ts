/** What somebody named on the command line: a path itself, or a folder it lies in. Pure. */
import { isWithin, type PathName } from "../../model/path-name.ts";

export type Naming = "itself" | "by-folder" | "not";

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
