/** Where one reference leads in a tree, and which of the names it wants are not there. */
import type { FileFacts, Reference } from "../../facts/known/file-facts.ts";
import type { FollowedReference } from "./followed.ts";
import { followGo } from "./go-target.ts";
import { followJava } from "./java-target.ts";
import { membersOfPython } from "./python-target.ts";
import { pythonTargets } from "./resolve.ts";
import { followRust } from "./rust-target.ts";
import { scriptTarget } from "./script-target.ts";
import { followTemplate } from "./template-target.ts";
import type { GroupTree } from "./tree.ts";

const OUTSIDE = { kind: "outside" } as const;
/** Re-exports of re-exports; a longer chain is not followed. */
const MAX_STARS = 10;

export async function follow(
  from: string,
  facts: FileFacts,
  reference: Reference,
  tree: GroupTree,
): Promise<FollowedReference> {
  switch (facts.language) {
    case "python":
      return reference.isOfType
        ? membersOfPython(from, reference, tree)
        : followPython(from, reference, tree);
    case "go":
      return followGo(from, reference, tree);
    case "rust":
      return followRust(from, reference, tree);
    case "java":
      return followJava(from, reference, tree);
    case "yaml":
      return followTemplate(from, reference, tree);
    default:
      return followScript(from, reference, tree);
  }
}

/** Which files are meant depends on the names that are wanted of them. */
const BY_NAME: ReadonlySet<string> = new Set(["python", "go", "rust", "java", "yaml"]);

/** The paths a reference leads to; empty: outside, or nothing there. */
export async function leadsTo(
  from: string,
  facts: FileFacts,
  reference: Reference,
  tree: GroupTree,
): Promise<readonly string[]> {
  // Members lead to wherever their types are, which other references name.
  if (reference.isOfValue || reference.isOfType) return [];
  const followed = await follow(
    from,
    facts,
    { ...reference, names: BY_NAME.has(facts.language) ? reference.names : [] },
    tree,
  );
  return followed.kind === "found" ? followed.paths : [];
}

async function followScript(
  from: string,
  { specifier, names, isType }: Reference,
  tree: GroupTree,
): Promise<FollowedReference> {
  const target = await scriptTarget(from, specifier, tree);
  if (target.kind !== "file") return target;
  const { path, isGuess } = target;
  const whole = { kind: "found", isGuess, paths: [path], missing: [], unseen: [] } as const;
  if (names.length === 0) return whole;
  const facts = await tree.factsOf(path);
  // Types are gone from compiled code: only a typed file says whether they are there.
  if (isType && facts?.language !== "typescript") return whole;
  const given = await givenBy(path, tree, 0);
  const missing = given === null ? [] : names.filter((name) => !given.has(name));
  const words = given === null ? (facts?.source?.words ?? []) : [];
  const unseen =
    words.length === 0 ? [] : names.filter((name) => !words.includes(name) && !isInherited(name));
  return isGuess ? { ...whole, unseen: [...missing, ...unseen] } : { ...whole, missing, unseen };
}

/** What functions, arrays, promises and emitters have without anybody giving it to them. */
const INHERITED: ReadonlySet<string> = new Set(
  [Object, Function, Array, Promise, Map, Set, String, RegExp, Error, Date]
    .flatMap((one) => [...Object.getOwnPropertyNames(one.prototype), ...Object.getOwnPropertyNames(one)])
    .concat([
      "default",
      "on",
      "once",
      "off",
      "emit",
      "addListener",
      "removeListener",
      "removeAllListeners",
      "listeners",
      "pipe",
    ]),
);
const isInherited = (name: string): boolean => INHERITED.has(name);

/** The names a script gives; null where they cannot be told. */
async function givenBy(path: string, tree: GroupTree, depth: number): Promise<ReadonlySet<string> | null> {
  const facts = await tree.factsOf(path);
  const source = facts?.source;
  if (!facts || !source || facts.parse.kind !== "sound" || !source.areExportsKnown || depth > MAX_STARS)
    return null;
  const names = new Set(source.exports);
  // Without module syntax the default is whatever the module is.
  if (!source.isModule) {
    for (const name of ["default", "__esModule"]) names.add(name);
    if (source.exports.length + source.stars.length === 0) return null;
  }
  for (const specifier of source.stars) {
    const target = await scriptTarget(path, specifier, tree);
    const more = target.kind === "file" ? await givenBy(target.path, tree, depth + 1) : null;
    if (more === null) return null;
    for (const name of more) if (name !== "default") names.add(name);
  }
  return names;
}

async function followPython(
  from: string,
  { specifier, names, isOfModule }: Reference,
  tree: GroupTree,
): Promise<FollowedReference> {
  const targets = pythonTargets(from, specifier);
  if (isOfModule) return followModule(targets, names, tree);
  const isOurs = specifier.startsWith(".");
  for (const { candidates, folder, root } of targets) {
    const path = candidates.find((candidate) => tree.has(candidate));
    if (path === undefined && !tree.hasFolder(folder)) continue;
    // `import yaml` beside a folder of that name without modules in it is not ours.
    if (path === undefined && !isOurs && names.length === 0) continue;
    const found = await foundPython(path, folder, names, tree, { isOurs });
    if (found.kind === "found" && found.missing.length > 0 && isInPackage(root, tree)) continue;
    return found;
  }
  if (isOurs) return { kind: "missing-file" };
  return isGone(specifier, targets, tree) ? { kind: "missing-file" } : OUTSIDE;
}

/** Members of what was imported whole: only where it is a module of ours. */
async function followModule(
  targets: ReturnType<typeof pythonTargets>,
  names: readonly string[],
  tree: GroupTree,
): Promise<FollowedReference> {
  for (const { candidates, folder, root } of targets) {
    const path = candidates.find((candidate) => tree.has(candidate));
    if (path === undefined) continue;
    const found = await foundPython(path, folder, names, tree, { isOurs: false });
    if (found.kind === "found" && found.missing.length > 0 && isInPackage(root, tree)) continue;
    return found;
  }
  return OUTSIDE;
}

/**
 * Since Python 3 no module is looked for from inside of a package: `alembic` in a project with a package `app.alembic` is another's. It may be
 * meant all the same (Python 2, a script beside it); but what it does not have is then no proof.
 */
const isInPackage = (root: string | null, tree: GroupTree): boolean =>
  root !== null && root !== "" && tree.has(`${root}/__init__.py`);

/** A module of a package that is here, but not this one. */
function isGone(specifier: string, targets: ReturnType<typeof pythonTargets>, tree: GroupTree): boolean {
  if (!specifier.includes(".")) return false;
  return targets.some(({ folder, root }) => {
    if (isInPackage(root, tree)) return false;
    const parent = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
    return parent !== "" && tree.has(`${parent}/__init__.py`);
  });
}

async function foundPython(
  path: string | undefined,
  folder: string,
  names: readonly string[],
  tree: GroupTree,
  { isOurs }: { readonly isOurs: boolean },
): Promise<FollowedReference> {
  const moduleOf = (name: string): string | undefined =>
    [`${folder}/${name}.py`, `${folder}/${name}/__init__.py`, `${folder}/${name}.pyi`]
      .map((at) => at.replace(/^\//, ""))
      .find((at) => tree.has(at));
  const modules = names.flatMap((name) => moduleOf(name) ?? []);
  const given = path === undefined ? new Set<string>() : await givenByPython(path, tree);
  const missing =
    given === null
      ? []
      : names.filter((n) => n !== "*" && !given.has(n) && !moduleOf(n) && !tree.hasFolder(`${folder}/${n}`));
  const paths = [...(path === undefined ? [] : [path]), ...modules];
  if (paths.length === 0 && !isOurs) return OUTSIDE;
  return { kind: "found", paths, missing, unseen: [] };
}

async function givenByPython(path: string, tree: GroupTree): Promise<ReadonlySet<string> | null> {
  const source = (await tree.factsOf(path))?.source;
  if (!source?.areExportsKnown || source.stars.length > 0) return null;
  return new Set([
    ...source.exports,
    "__name__",
    "__file__",
    "__doc__",
    "__version__",
    "__path__",
    "__all__",
  ]);
}
