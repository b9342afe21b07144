/** Packages that came to be imported and that nothing declares: of scripts no package.json above, of Python nothing at all, else their manifest. */
import { builtinModules } from "node:module";
import { firstNameOf, isDeclaredAs, isPythonsOwn } from "../../facts/known/python-modules.ts";
import { declaresPython, packageOf } from "../../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../../facts/member.ts";
import { declaredAbove } from "./alias-names.ts";
import { follow } from "./follow.ts";
import type { GroupTree, HeadSources } from "./tree.ts";
import { undeclaredModules } from "./undeclared-modules.ts";

const BUILT_IN: ReadonlySet<string> = new Set(builtinModules);

export async function undeclaredIn(
  members: readonly GroupMember[],
  head: HeadSources,
  tree: GroupTree,
): Promise<UndeclaredImports[]> {
  const found: UndeclaredImports[] = await undeclaredInPython(members, head, tree);
  for (const member of members) {
    const modules = await undeclaredModules(member, tree);
    if (modules.length > 0) found.push({ member, packages: modules });
    const isScript = member.after?.language === "javascript" || member.after?.language === "typescript";
    if (!isScript) continue;
    const was = new Set(
      (member.before?.source?.references ?? []).map(({ specifier }) => packageOf(specifier)),
    );
    const now = (member.after?.source?.references ?? [])
      .filter(({ isOptional, isType }) => !isOptional && !isType)
      .flatMap(({ specifier }) => packageOf(specifier) ?? [])
      .filter((name) => !was.has(name) && !BUILT_IN.has(name));
    if (now.length === 0) continue;
    const declared = await declaredAbove(member.path, tree);
    if (declared === null) continue;
    const packages = [...new Set(now)].filter(
      (name) => !declared.has(name) && !declared.has(`@types/${name}`),
    );
    if (packages.length > 0) found.push({ member, packages });
  }
  return found;
}

/**
 * Modules that a Python file came to import and that are nowhere: not in the workspace, not Python's own, declared by nothing, and
 * imported by no file of HEAD. It may be a package that somebody has, or a file beside it that never came.
 */
export interface UndeclaredImports {
  readonly member: GroupMember;
  readonly packages: readonly string[];
}

/** Manifests read for the names in them; a tree with more is many projects. */
const MAX_MANIFESTS = 50;
/** Unchanged files looked into for who imports a module, too; what more of them name is no rare one. */
const MAX_LOOKED_INTO = 200;

async function undeclaredInPython(
  members: readonly GroupMember[],
  head: HeadSources,
  tree: GroupTree,
): Promise<UndeclaredImports[]> {
  const fresh: UndeclaredImports[] = [];
  for (const member of members) {
    const packages = member.after?.language === "python" ? await freshModules(member, tree) : [];
    if (packages.length > 0) fresh.push({ member, packages });
  }
  const wanted = new Set(fresh.flatMap(({ packages }) => packages));
  if (wanted.size === 0) return [];
  const declared = await declaredIn(members, head, tree);
  for (const name of wanted) if (isDeclaredAs(name, declared)) wanted.delete(name);
  if (wanted.size > 0) for (const name of await importedAtHead([...wanted], head)) wanted.delete(name);
  return fresh
    .map(({ member, packages }) => ({ member, packages: packages.filter((name) => wanted.has(name)) }))
    .filter(({ packages }) => packages.length > 0);
}

/** Those that lead out of the workspace and that the file did not import before. */
async function freshModules({ path, before, after }: GroupMember, tree: GroupTree): Promise<string[]> {
  const was = new Set((before?.source?.references ?? []).map(({ specifier }) => firstNameOf(specifier)));
  const found = new Set<string>();
  for (const reference of after?.source?.references ?? []) {
    const name = firstNameOf(reference.specifier);
    if (!after || name === "" || reference.isOptional || reference.isOfModule || reference.isOfType) continue;
    if (was.has(name) || isPythonsOwn(name) || found.has(name)) continue;
    if ((await follow(path, after, reference, tree)).kind === "outside") found.add(name);
  }
  return [...found];
}

async function declaredIn(
  members: readonly GroupMember[],
  head: HeadSources,
  tree: GroupTree,
): Promise<ReadonlySet<string>> {
  const paths = new Set([...head.paths, ...members.map(({ path }) => path)]);
  const manifests = [...paths].filter((path) => declaresPython(path) && tree.has(path));
  const facts = await Promise.all(manifests.slice(0, MAX_MANIFESTS).map((path) => tree.factsOf(path)));
  return new Set(facts.flatMap((one) => one?.declares ?? []));
}

async function importedAtHead(names: readonly string[], head: HeadSources): Promise<ReadonlySet<string>> {
  const mentioning = (await head.mentioning(names, ["py", "pyi"])) ?? [];
  const some = mentioning.filter((path) => /\.pyi?$/.test(path)).slice(0, MAX_LOOKED_INTO);
  const facts = await Promise.all(some.map((path) => head.factsOf(path)));
  return new Set(
    facts.flatMap((one) => (one?.source?.references ?? []).map(({ specifier }) => firstNameOf(specifier))),
  );
}
