/**
 * Where a Go reference leads. A package is a folder: what a file takes from its own package may be in any file beside it, what it imports
 * by the module's path (go.mod) in any file of that folder. What no go.mod here is the beginning of is somebody else's.
 */

import { OF_TEMPLATES, OF_VALUES } from "../../facts/known/file-facts.ts";
import { folderOfPath, joinPath } from "../../facts/manifests/manifest-kinds.ts";
import { OWN_PACKAGE } from "../../facts/parse/go-imports.ts";
import { PACKAGE_CLAUSE } from "../../facts/parse/grammar-facts.ts";
import type { FollowedReference } from "./followed.ts";
import { membersIn, membersOfTypes } from "./members.ts";
import type { GroupTree } from "./tree.ts";

/** Null: not of the workspace. */
export async function goFolder(from: string, specifier: string, tree: GroupTree): Promise<string | null> {
  if (specifier === OF_VALUES || specifier === OF_TEMPLATES) return null;
  if (specifier === OWN_PACKAGE) return folderOfPath(from);
  if (specifier.startsWith(".")) return joinPath(folderOfPath(from), specifier);
  for (const path of tree.byName("go.mod")) {
    const module = (await tree.factsOf(path))?.aliases.find(({ kind }) => kind === "module")?.pattern;
    if (module === undefined) continue;
    if (specifier === module) return folderOfPath(path);
    if (specifier.startsWith(`${module}/`))
      return joinPath(folderOfPath(path), specifier.slice(module.length + 1));
  }
  return null;
}

/**
 * In a workspace from before modules nothing says what the imports of its own packages begin with: what stands behind
 * `host/owner/name` and is a folder of Go files here is taken for it. A guess.
 */
function guessedFolder(specifier: string, tree: GroupTree): string | null {
  const [host = "", , , ...rest] = specifier.split("/");
  const folder = rest.join("/");
  if (!host.includes(".") || folder === "" || tree.byName("go.mod").length > 0) return null;
  return tree.filesIn(folder).some((path) => path.endsWith(".go")) ? folder : null;
}

/** Go files of a folder that are read; more is generated. */
const MAX_FILES = 500;

export async function followGo(
  from: string,
  {
    specifier,
    names,
    isOfType,
  }: { readonly specifier: string; readonly names: readonly string[]; readonly isOfType?: boolean },
  tree: GroupTree,
): Promise<FollowedReference> {
  if (specifier === OF_TEMPLATES) return inTemplates(names, tree);
  if (specifier === OF_VALUES) return membersIn(await near(from, tree), names, tree);
  const known = await goFolder(from, specifier, tree);
  const folder = known ?? guessedFolder(specifier, tree);
  if (folder === null) return { kind: "outside" };
  const isGuess = known === null;
  const files = tree.filesIn(folder).filter((path) => path.endsWith(".go") && path !== from);
  const isOwn = specifier === OWN_PACKAGE;
  if (files.length === 0 && !isOwn) return { kind: "missing-file", place: joinPath(folder, "x.go") };
  if (files.length > MAX_FILES) return isOfType ? { kind: "outside" } : { kind: "uncertain" };
  if (isOfType && isGuess) return { kind: "outside" };
  if (isOfType)
    return membersOfTypes(
      tree.filesIn(folder).filter((path) => path.endsWith(".go")),
      names,
      tree,
    );
  const wanted = new Set(names);
  const paths: string[] = [];
  let isWhole = true;
  let hasPackage = false;
  for (const path of files) {
    const source = (await tree.factsOf(path))?.source;
    if (!source) isWhole = false;
    hasPackage ||= source?.exports.some((name) => name.startsWith(PACKAGE_CLAUSE)) === true;
    const given = source?.exports.filter((name) => wanted.has(name)) ?? [];
    if (given.some((name) => !name.startsWith(PACKAGE_CLAUSE)) || (!isOwn && names.length === 0))
      paths.push(path);
    for (const name of given) wanted.delete(name);
  }
  // The first of its folder says what its package is.
  for (const name of wanted) if (name.startsWith(PACKAGE_CLAUSE) && !hasPackage) wanted.delete(name);
  // A file that does not parse may give anything; so may what a generator or cgo adds before a build.
  const isSure = isWhole && !isGuess;
  return {
    kind: "found",
    isGuess,
    paths,
    missing: isSure ? [...wanted] : [],
    unseen: isSure ? [] : [...wanted],
  };
}

/** Any type of the workspace may be what a template is given; that of another package makes it a doubt, not a proof. */
async function inTemplates(names: readonly string[], tree: GroupTree): Promise<FollowedReference> {
  const files = tree.filesBelow("", ".go");
  if (files.length > MAX_FILES) return { kind: "outside" };
  const found = await membersIn(files, names, tree);
  return found.kind === "found" ? { ...found, missing: [], unseen: found.missing } : found;
}

/** The files of its own package and of those it imports: what it reads of values is nearly always of a type of theirs. */
async function near(from: string, tree: GroupTree): Promise<string[]> {
  const references = (await tree.factsOf(from))?.source?.references ?? [];
  const folders = await Promise.all(references.map(({ specifier }) => goFolder(from, specifier, tree)));
  const all = [...new Set([folderOfPath(from), ...folders.filter((one) => one !== null)])];
  return all
    .flatMap((folder) => tree.filesIn(folder))
    .filter((path) => path.endsWith(".go") && path !== from);
}
