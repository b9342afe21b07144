/**
 * Where a Java reference leads. A type is a file of its name in a folder that ends as its package does, whatever stands in front of that; a
 * package of which no folder here is the end is somebody else's.
 */
import { folderOfPath, joinPath } from "../../facts/manifests/manifest-kinds.ts";
import { PACKAGE_CLAUSE } from "../../facts/parse/grammar-facts.ts";
import { OWN_JAVA_PACKAGE } from "../../facts/parse/java-types.ts";
import {
  closedType,
  embeddingType,
  givenTypes,
  lacksPath,
  memberIn,
  memberOf,
} from "../../facts/parse/type-members.ts";
import type { FollowedReference } from "./followed.ts";
import type { GroupTree } from "./tree.ts";

/** Files of a package that are read; more is generated. */
const MAX_FILES = 500;
/** Types that are looked up for what a file reads and inherits; more is not told. */
const MAX_TYPES = 200;

export async function followJava(
  from: string,
  {
    specifier,
    names,
    isOfType,
  }: { readonly specifier: string; readonly names: readonly string[]; readonly isOfType?: boolean },
  tree: GroupTree,
): Promise<FollowedReference> {
  if (isOfType) return membersOf(from, names, tree);
  if (specifier === OWN_JAVA_PACKAGE) return ownTypes(from, names, tree);
  const words = specifier.split(".");
  const at = words.findIndex((word) => /^[A-Z]/.test(word));
  if (specifier.endsWith(".*") && at === -1) return { kind: "outside" };
  return at === -1
    ? { kind: "outside" }
    : importedType(words.slice(0, at).join("."), words.slice(at), names, tree);
}

const folders = new WeakMap<GroupTree, ReadonlySet<string>>();

/** Folders whose ends may be this package. */
function foldersOf(name: string, tree: GroupTree): string[] {
  let all = folders.get(tree);
  if (!all) {
    all = new Set(tree.filesBelow("", ".java").map(folderOfPath));
    folders.set(tree, all);
  }
  const end = name.replaceAll(".", "/");
  return [...all].filter((folder) => folder === end || folder.endsWith(`/${end}`));
}

const typeFile = (name: string, type: string, tree: GroupTree): string | undefined =>
  foldersOf(name, tree)
    .map((folder) => joinPath(folder, `${type}.java`))
    .find((path) => tree.has(path));

async function importedType(
  name: string,
  [type = "", ...inner]: readonly string[],
  names: readonly string[],
  tree: GroupTree,
): Promise<FollowedReference> {
  const places = foldersOf(name, tree);
  const [first] = places;
  if (first === undefined) return { kind: "outside" };
  const path = typeFile(name, type, tree) ?? (await declaring(places, type, tree));
  if (path === undefined) return { kind: "missing-file", place: joinPath(first, `${type}.java`) };
  if (!(await declares(path, type, tree)))
    return { kind: "found", paths: [path], missing: [type], unseen: [] };
  // `a.b.Outer.Inner`, and what a static import takes of it.
  const wanted =
    inner.length > 0 ? [memberOf(type, inner[0] ?? "")] : names.map((one) => memberOf(type, one));
  const lacking = wanted.length > 0 ? await lackingIn(path, wanted, tree) : [];
  const missing = lacking.map((one) => memberIn(one)?.member ?? one);
  return { kind: "found", paths: [path], missing, unseen: [] };
}

/** A file that could not be looked into may declare what it is named after. */
async function declares(path: string, type: string, tree: GroupTree): Promise<boolean> {
  const source = (await tree.factsOf(path))?.source;
  return !source || source.exports.includes(type);
}

/** A file of a package that declares a type which is not named like it. */
async function declaring(
  places: readonly string[],
  type: string,
  tree: GroupTree,
): Promise<string | undefined> {
  const files = places.flatMap((folder) => tree.filesIn(folder)).filter((path) => path.endsWith(".java"));
  if (files.length > MAX_FILES) return undefined;
  for (const path of files) if ((await tree.factsOf(path))?.source?.exports.includes(type)) return path;
  return undefined;
}

const packageOf = async (path: string, tree: GroupTree): Promise<string | null> =>
  (await tree.factsOf(path))?.source?.exports
    .find((one) => one.startsWith(PACKAGE_CLAUSE))
    ?.slice(PACKAGE_CLAUSE.length) ?? null;

async function ownTypes(from: string, names: readonly string[], tree: GroupTree): Promise<FollowedReference> {
  const source = (await tree.factsOf(from))?.source;
  const name = await packageOf(from, tree);
  const places =
    name === null ? [folderOfPath(from)] : [...new Set([folderOfPath(from), ...foldersOf(name, tree)])];
  const stars = (source?.references ?? []).flatMap(({ specifier }) =>
    specifier.endsWith(".*") ? [specifier.slice(0, -2)] : [],
  );
  const whole = stars.flatMap((star) => foldersOf(star, tree));
  const [paths, missing]: [string[], string[]] = [[], []];
  const all = [...places, ...whole];
  for (const type of names) {
    const named = all.map((folder) => joinPath(folder, `${type}.java`)).find((one) => tree.has(one));
    const path = named ?? (await declaring(all, type, tree));
    if (path === undefined || !(await declares(path, type, tree))) missing.push(type);
    if (path !== undefined) paths.push(path);
  }
  // All of a package from elsewhere may bring any; a type that is inherited from may have it inside.
  if (stars.some((star) => foldersOf(star, tree).length === 0))
    return { kind: "found", paths, missing: [], unseen: [] };
  const inherited = await inheritedTypes(from, missing, tree);
  return {
    kind: "found",
    paths,
    missing: missing.filter((one) => inherited.get(one) === "lacking"),
    unseen: [],
  };
}

/** Whether any type of the file, or one that it inherits from, has these inside: `lacking` where certainly none has. */
async function inheritedTypes(
  from: string,
  names: readonly string[],
  tree: GroupTree,
): Promise<ReadonlyMap<string, "lacking" | "has">> {
  const found = new Map<string, "lacking" | "has">();
  if (names.length === 0) return found;
  const own = ((await tree.factsOf(from))?.source?.exports ?? [])
    .filter((one) => one.endsWith("#"))
    .map((one) => one.slice(0, -1));
  for (const name of names) {
    const lacking = await lackingIn(
      from,
      own.map((type) => memberOf(type, name)),
      tree,
    );
    found.set(name, lacking.length === own.length ? "lacking" : "has");
  }
  return found;
}

async function membersOf(
  from: string,
  names: readonly string[],
  tree: GroupTree,
): Promise<FollowedReference> {
  const missing = await lackingIn(from, names, tree);
  return { kind: "found", paths: [], missing, unseen: [] };
}

/** Which of these members their types certainly lack. A type is looked for in the file itself, then in a file of its name. */
async function lackingIn(from: string, names: readonly string[], tree: GroupTree): Promise<string[]> {
  const given = new Set((await tree.factsOf(from))?.source?.exports ?? []);
  const seen = new Set<string>();
  const asked = names.flatMap((name) => memberIn(name) ?? []);
  let queue = [...new Set([...asked.map(({ type }) => type), ...supersIn(given)])];
  while (queue.length > 0) {
    for (let type = queue.shift(); type !== undefined; type = queue.shift()) {
      if (seen.has(type)) continue;
      if (seen.size >= MAX_TYPES) return [];
      seen.add(type);
      if (!given.has(closedType(type))) await takeType(type, given, tree);
      queue.push(...supersOf(type, given));
    }
    // What calls give, one call further.
    queue = asked
      .flatMap(({ type, member }) => reachedBy(type, member, given))
      .filter((type) => !seen.has(type));
  }
  return names.filter((name) => {
    const member = memberIn(name);
    return member !== null && lacksPath(given, member.type, member.member);
  });
}

async function takeType(type: string, given: Set<string>, tree: GroupTree): Promise<void> {
  for (const path of tree.byName(type).filter((one) => `/${one}`.endsWith(`/${type}.java`)))
    for (const name of (await tree.factsOf(path))?.source?.exports ?? []) given.add(name);
}

/** Every type that stands on the way of a chain of calls, as far as it is known. */
function reachedBy(type: string, path: string, given: ReadonlySet<string>): string[] {
  const at = path.indexOf(">");
  if (at === -1) return [];
  const types = givenTypes(given, type, path.slice(0, at));
  return types.flatMap((one) => [one, ...reachedBy(one, path.slice(at + 1), given)]);
}

const supersIn = (given: ReadonlySet<string>): string[] =>
  [...given].flatMap((name) => (name.includes("#&") ? [name.slice(name.indexOf("#&") + 2)] : []));
function supersOf(type: string, given: ReadonlySet<string>): string[] {
  const prefix = embeddingType(type, "");
  return [...given].flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}

/** The file that a type is declared in, as a caller names it (callee-takes.ts); null: outside, or not there. */
export async function javaFile(
  from: string,
  specifier: string,
  type: string,
  tree: GroupTree,
): Promise<string | null> {
  if (specifier === OWN_JAVA_PACKAGE) {
    const name = await packageOf(from, tree);
    const beside = joinPath(folderOfPath(from), `${type}.java`);
    if (tree.has(beside)) return beside;
    return name === null ? null : (typeFile(name, type, tree) ?? null);
  }
  const at = specifier.lastIndexOf(".");
  return at === -1 ? null : (typeFile(specifier.slice(0, at), type, tree) ?? null);
}
