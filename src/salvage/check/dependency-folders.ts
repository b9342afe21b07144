/**
 * The folders a workspace's dependencies are installed in: those git ignores, so that no clone has them, under the names
 * that package managers use. Build folders (target, build, .gradle, ...) are none: a build must write into its own.
 */

import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { nulFields, type PathName, pathFromBytes, pathFromText } from "../../model/path-name.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import { shownPath } from "../../text/shown-path.ts";
import type { Repository } from "../../workspace/git/repository.ts";

export interface DependencyFolder {
  /** In the workspace. */
  readonly path: PathName;
  /** Where it really is: the folder itself may be a link. */
  readonly real: string;
}

/** Node's, Python's, Go's and PHP's and Ruby's, CocoaPods'. */
const NAMES: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  ".venv",
  "venv",
  "vendor",
  "Pods",
]);

/** A workspace of so many packages has a folder in each; every one costs each run of a check two mounts. */
export const MAX_DEPENDENCY_FOLDERS = 1000;

/** In the order git lists them. */
export async function dependencyFolders(repository: Repository): Promise<DependencyFolder[]> {
  const listed = await repository.run([
    "ls-files",
    "-z",
    "--others",
    "--ignored",
    "--exclude-standard",
    "--directory",
  ]);
  const found: DependencyFolder[] = [];
  for (const bytes of nulFields(listed)) {
    const path = pathFromText(pathFromBytes(bytes));
    // A name that is no text cannot be an argument of mount.
    if (!NAMES.has(basename(path)) || !path.isWellFormed()) continue;
    const real = realFolder(join(repository.root, path));
    if (real !== null) found.push({ path, real });
  }
  return found;
}

function realFolder(path: string): string | null {
  return orNull(() => (statSync(path).isDirectory() ? realpathSync(path) : null));
}

/** What was there a moment ago may be gone, and a link may lead nowhere. */
function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}

export interface LinkLeads {
  /** Folders outside the workspace that links in it lead to. */
  readonly outside: readonly string[];
  /** Something in it that leads to the workspace's own files, for the eye; null: nothing does. */
  readonly back: string | null;
}

/**
 * Where a folder leads, by the links of its two upper levels (packages, and packages in a scope) and by the lists with which
 * Python adds folders to its own. Links deeper down are not looked for.
 */
export function leadsOf(
  { real }: DependencyFolder,
  root: string,
  all: readonly DependencyFolder[],
): LinkLeads {
  const outside = new Set<string>();
  let back: string | null = editableBack(real, root);
  for (const path of linksIn(real)) {
    const target = realFolder(path);
    if (target === null || all.some(({ real: one }) => placeInside(one, target) !== null)) continue;
    if (placeInside(root, target) !== null) back ??= shownIn(path, real);
    else outside.add(target);
  }
  return { outside: [...outside], back };
}

const shownIn = (path: string, folder: string): string =>
  shownPath(path.slice(folder.length + 1) as PathName);

function linksIn(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = orNull(() => lstatSync(path));
    if (stat?.isSymbolicLink()) return [path];
    if (!stat?.isDirectory() || !name.startsWith("@")) return [];
    return namesIn(path)
      .map((inner) => join(path, inner))
      .filter((inner) => orNull(() => lstatSync(inner))?.isSymbolicLink() ?? false);
  });
}

const namesIn = (folder: string): string[] => orNull(() => readdirSync(folder)) ?? [];

/** A larger one is no list of folders. */
const MAX_LIST_BYTES = 256 * 1024;

/** `pip install -e` and its like: a text in site-packages that names the workspace. */
function editableBack(real: string, root: string): string | null {
  for (const version of namesIn(join(real, "lib")).filter((name) => name.startsWith("python"))) {
    const folder = join(real, "lib", version, "site-packages");
    for (const name of namesIn(folder).filter((one) => /\.(?:pth|egg-link)$|^__editable__/.test(one))) {
      const path = join(folder, name);
      const text = orNull(() => {
        const stat = statSync(path);
        return stat.isFile() && stat.size <= MAX_LIST_BYTES ? readFileSync(path, "utf8") : "";
      });
      if (text?.includes(root)) return shownIn(path, real);
    }
  }
  return null;
}
