/** Where a Python module may lie in the workspace. Pure. A module that is not found there is somebody else's. */
import { folderOfPath, joinPath } from "../../facts/manifests/manifest-kinds.ts";

export interface PythonTarget {
  /** Files that would be the module. */
  readonly candidates: readonly string[];
  /** Folder the module would be: names may be modules in it. */
  readonly folder: string;
}

/** One target per root it could be relative to. */
export function pythonTargets(from: string, specifier: string): PythonTarget[] {
  const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
  const parts = specifier
    .slice(dots)
    .split(".")
    .filter((part) => part !== "");
  if (dots > 0) {
    let folder = folderOfPath(from);
    for (let up = 1; up < dots; up++) folder = folderOfPath(folder);
    return [targetAt(folder, parts)];
  }
  return rootsOf(from).map((root) => targetAt(root, parts));
}

/** The workspace, `src/`, and every folder above the file: what may be on the path. */
function rootsOf(from: string): string[] {
  const roots = new Set<string>(["", "src", "lib"]);
  for (let folder = folderOfPath(from); folder !== ""; folder = folderOfPath(folder)) {
    roots.add(folder);
    roots.add(joinPath(folder, "src"));
  }
  return [...roots];
}

function targetAt(root: string, parts: readonly string[]): PythonTarget {
  const folder = parts.reduce(joinPath, root);
  const files = parts.length === 0 ? [] : [`${folder}.py`, `${folder}.pyi`];
  return {
    candidates: [...files, joinPath(folder, "__init__.py"), joinPath(folder, "__init__.pyi")],
    folder,
  };
}
