/**
 * Where a Rust reference leads: modules are files by where they lie (`a.rs`, `a/mod.rs`) below the crate's root. What a word of a path
 * means that is no file (an inline module, a type, what is handed on) is asked of the module it stands in.
 */

import { OF_VALUES } from "../../facts/known/file-facts.ts";
import { folderOfPath, joinPath, nameOfPath } from "../../facts/manifests/manifest-kinds.ts";
import type { FollowedReference } from "./followed.ts";
import { membersIn, membersOfTypes } from "./members.ts";
import type { GroupTree } from "./tree.ts";

const ROOTS = ["lib.rs", "main.rs"];

/** The folder in which a module's own modules lie. */
function innerFolder(path: string, tree: GroupTree): string {
  const [folder, name] = [folderOfPath(path), nameOfPath(path)];
  return name === "mod.rs" || isRoot(path, tree) ? folder : joinPath(folder, name.replace(/\.rs$/, ""));
}

/** Programs, tests and examples are crates of one file each, with what lies beside them. */
function isRoot(path: string, tree: GroupTree): boolean {
  if (ROOTS.includes(nameOfPath(path)) || nameOfPath(path) === "build.rs") return true;
  const folder = folderOfPath(path);
  const isOutside = /^(?:tests|examples|benches|bin)$/.test(nameOfPath(folder));
  return (
    isOutside && (nameOfPath(folder) === "bin" || tree.has(joinPath(folderOfPath(folder), "Cargo.toml")))
  );
}

/** The file that a crate begins with; null: it cannot be told. */
function rootOf(path: string, tree: GroupTree): string | null {
  if (isRoot(path, tree)) return path;
  for (let folder = folderOfPath(path); ; folder = folderOfPath(folder)) {
    const found = ROOTS.map((name) => joinPath(folder, name)).filter((at) => tree.has(at));
    // With both, which of them a module is of is written in neither.
    if (found.length > 0) return found.length === 1 ? (found[0] ?? null) : null;
    if (folder === "") return null;
  }
}

const moduleIn = (folder: string, name: string, tree: GroupTree): string | undefined =>
  [joinPath(folder, `${name}.rs`), joinPath(joinPath(folder, name), "mod.rs")].find((at) => tree.has(at));

function parentOf(path: string, tree: GroupTree): string | null {
  if (isRoot(path, tree)) return null;
  const own = nameOfPath(path) === "mod.rs" ? folderOfPath(folderOfPath(path)) : folderOfPath(path);
  const root = ROOTS.map((name) => joinPath(own, name)).filter((at) => tree.has(at));
  if (root.length > 0) return root.length === 1 ? (root[0] ?? null) : null;
  return moduleIn(folderOfPath(own), nameOfPath(own), tree) ?? null;
}

export async function followRust(
  from: string,
  {
    specifier,
    names,
    isOfType,
  }: { readonly specifier: string; readonly names: readonly string[]; readonly isOfType?: boolean },
  tree: GroupTree,
): Promise<FollowedReference> {
  if (isOfType) return membersOfCrate(from, names, tree);
  if (specifier === OF_VALUES) {
    const others = tree.filesBelow(crateFolder(from, tree), ".rs").filter((path) => path !== from);
    return membersIn(others, names, tree);
  }
  if (specifier.startsWith("mod ")) return moduleFile(from, specifier.slice("mod ".length), tree);
  const foreign = specifier.startsWith("::")
    ? ((await crateNamed(from, specifier, tree)) ?? moduleOfRoot(from, specifier, tree))
    : null;
  if (specifier.startsWith("::") && foreign === null) return { kind: "outside" };
  const found = await inModules(from, foreign?.root ?? from, wordsOf(specifier), names, tree);
  if (foreign?.isOwn !== false || found.kind !== "found") return found;
  // The version that is built against may be a published one.
  return { ...found, missing: [], unseen: found.missing };
}

const wordsOf = (specifier: string): string[] =>
  specifier.startsWith("::") ? specifier.split("::").slice(2) : specifier.split("::");

interface NamedCrate {
  readonly root: string;
  /** Of the same package: its programs, tests and examples name the library by its name. */
  readonly isOwn: boolean;
}

/** `::name::module`: a library of the workspace, by the name that its Cargo.toml gives it. Null: there is none. */
async function crateNamed(from: string, specifier: string, tree: GroupTree): Promise<NamedCrate | null> {
  const name = specifier.split("::")[1] ?? "";
  for (const manifest of tree.byName("Cargo.toml")) {
    const crate = (await tree.factsOf(manifest))?.aliases.find(({ kind }) => kind === "crate");
    const root = crate?.pattern === name ? joinPath(folderOfPath(manifest), crate.targets[0] ?? "") : null;
    if (root !== null && nameOfPath(root) === "lib.rs" && tree.has(root))
      return { root, isOwn: folderOfPath(manifest) === crateFolder(from, tree) };
  }
  return null;
}

/**
 * Before the edition of 2018 `use exec;` means a module of the own crate. One that lies at its root may still be called as another's crate is: so
 * what it does not have is a doubt, no proof.
 */
function moduleOfRoot(from: string, specifier: string, tree: GroupTree): NamedCrate | null {
  const root = rootOf(from, tree);
  const [, name = ""] = specifier.split("::");
  const module = root === null ? undefined : moduleIn(innerFolder(root, tree), name, tree);
  return module === undefined || module === from ? null : { root: module, isOwn: false };
}

async function inModules(
  from: string,
  start: string,
  words: readonly string[],
  names: readonly string[],
  tree: GroupTree,
): Promise<FollowedReference> {
  let at: string | null = start;
  for (const word of words) {
    if (word === "self") continue;
    if (word === "crate") at = rootOf(from, tree);
    else if (word === "super") at = parentOf(at, tree);
    else {
      const file = moduleIn(innerFolder(at, tree), word, tree);
      // No file: what it stands for is written in the module itself.
      if (file === undefined) return whatIsNamed(at, [word], tree);
      at = file;
    }
    if (at === null) return { kind: "outside" };
  }
  return whatIsNamed(at, names, tree);
}

async function moduleFile(from: string, name: string, tree: GroupTree): Promise<FollowedReference> {
  const folder = innerFolder(from, tree);
  const path = moduleIn(folder, name, tree);
  return path === undefined
    ? { kind: "missing-file", place: joinPath(folder, `${name}.rs`) }
    : { kind: "found", paths: [path], missing: [], unseen: [] };
}

async function whatIsNamed(
  path: string,
  names: readonly string[],
  tree: GroupTree,
): Promise<FollowedReference> {
  const source = (await tree.factsOf(path))?.source;
  const modules = names.flatMap((name) => moduleIn(innerFolder(path, tree), name, tree) ?? []);
  const found = { kind: "found", paths: [...new Set([path, ...modules])], unseen: [] } as const;
  if (!source?.areExportsKnown) return { ...found, missing: [] };
  const given = new Set(source.exports);
  const missing = names.filter((name) => !given.has(name));
  return { ...found, missing: isRoot(path, tree) ? await withoutMacros(path, missing, tree) : missing };
}

/** Macros that any module exports are the crate's own. */
async function withoutMacros(root: string, names: readonly string[], tree: GroupTree): Promise<string[]> {
  const asked = names.filter((name) => /^[a-z_]/.test(name));
  if (asked.length === 0) return [...names];
  const files = tree.filesBelow(crateFolder(root, tree), ".rs");
  const all = files.length > MAX_FILES ? [] : await Promise.all(files.map((path) => tree.factsOf(path)));
  const macros = new Set(
    all.flatMap((facts) => facts?.source?.exports ?? []).filter((one) => one.endsWith("!")),
  );
  return names.filter((name) => !macros.has(`${name}!`));
}

/** Rust files of a crate that are read; more is generated. */
const MAX_FILES = 1000;

/** Traits of other crates may give any type a method: a doubt, not a proof. */
async function membersOfCrate(
  from: string,
  names: readonly string[],
  tree: GroupTree,
): Promise<FollowedReference> {
  const files = tree.filesBelow(crateFolder(from, tree), ".rs");
  if (files.length > MAX_FILES) return { kind: "outside" };
  const found = await membersOfTypes(files, names, tree);
  return found.kind === "found" ? { ...found, missing: [], unseen: found.missing } : found;
}

/** Where the crate's Cargo.toml lies. */
function crateFolder(path: string, tree: GroupTree): string {
  let folder = folderOfPath(path);
  while (folder !== "" && !tree.has(joinPath(folder, "Cargo.toml"))) folder = folderOfPath(folder);
  return folder;
}
