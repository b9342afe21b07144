/** Where a reference may lead: a relative specifier of JavaScript or TypeScript, in the order it is looked for; a module of Python. Pure. */
import { folderOfPath, joinPath } from "../../facts/manifests/manifest-kinds.ts";

const EXTENSIONS = [
  ".js",
  ".ts",
  ".tsx",
  ".mjs",
  ".cjs",
  ".mts",
  ".cts",
  ".jsx",
  ".d.ts",
  ".d.mts",
  ".d.cts",
  ".json",
  ".node",
];
/** TypeScript writes the name of what it will become. */
const BECOMES: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx", ".d.ts", ".jsx"],
  ".jsx": [".tsx"],
  ".mjs": [".mts", ".d.mts"],
  ".cjs": [".cts", ".d.cts"],
};

export const isRelative = (specifier: string): boolean => /^\.{1,2}(?:\/|$)/.test(specifier);

/** A typed file means the types of what it names: `./a.js` is `./a.d.ts` before it is `./a.js`. */
export function scriptCandidates(from: string, specifier: string): string[] {
  const found = candidatesOf(from, specifier);
  // A script that runs cannot run types.
  if (/\.[mc]?jsx?$/.test(from)) return found.filter((path) => !/\.d\.[mc]?ts$/.test(path));
  if (!/\.[mc]?tsx?$/.test(from)) return found;
  const isTyped = (path: string): boolean => /\.[mc]?tsx?$/.test(path);
  return [...found.filter(isTyped), ...found.filter((path) => !isTyped(path))];
}

function candidatesOf(from: string, specifier: string): string[] {
  const base = normalise(`${folderOfPath(from)}/${specifier.replace(/[?#].*$/, "")}`);
  if (base === null) return [];
  const candidates: string[] = [];
  if (base !== "" && !/(?:^|\/)\.{1,2}\/?$/.test(specifier) && !specifier.endsWith("/")) {
    candidates.push(base);
    for (const [ending, others] of Object.entries(BECOMES))
      if (base.endsWith(ending))
        candidates.push(...others.map((other) => base.slice(0, -ending.length) + other));
    candidates.push(...EXTENSIONS.map((extension) => base + extension));
  }
  const folder = base === "" ? "" : `${base}/`;
  candidates.push(`${folder}package.json`, ...EXTENSIONS.map((extension) => `${folder}index${extension}`));
  return candidates;
}

/** Null: it leads out of the workspace. */
export function normalise(path: string): string | null {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

/** Where a Python module may lie in the workspace. Pure. A module that is not found there is somebody else's. */
interface PythonTarget {
  /** Files that would be the module. */
  readonly candidates: readonly string[];
  /** Folder the module would be: names may be modules in it. */
  readonly folder: string;
  /** What it is looked for from. Null: it is relative. */
  readonly root: string | null;
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
    return [{ ...targetAt(folder, parts), root: null }];
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

function targetAt(root: string, parts: readonly string[]): PythonTarget & { readonly root: string } {
  const folder = parts.reduce(joinPath, root);
  const files = parts.length === 0 ? [] : [`${folder}.py`, `${folder}.pyi`];
  return {
    candidates: [...files, joinPath(folder, "__init__.py"), joinPath(folder, "__init__.pyi")],
    folder,
    root,
  };
}
