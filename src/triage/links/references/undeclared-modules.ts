/** Modules of Go and crates of Rust that came to be used and that the manifest above does not name: no build takes them. */
import { packageName } from "../../facts/known/python-modules.ts";
import { folderOfPath, joinPath } from "../../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../../facts/member.ts";
import type { Language } from "../../facts/paths/languages.ts";
import { follow } from "./follow.ts";
import { type GroupTree, groupTree, type HeadSources } from "./tree.ts";

export async function undeclaredModules(member: GroupMember, tree: GroupTree): Promise<string[]> {
  switch (member.after?.language) {
    case "go":
      return undeclaredGo(member, tree);
    case "rust":
      return undeclaredCrates(member, tree);
    default:
      return [];
  }
}

const MANIFESTS: Readonly<Partial<Record<Language, string>>> = { go: "go.mod", rust: "Cargo.toml" };

/** What came to use a module, with the changed manifest that came to name it: one without the other is no build. */
export async function declaringLinks(
  members: readonly GroupMember[],
  head: HeadSources,
): Promise<(readonly [GroupMember, GroupMember])[]> {
  const byPath = new Map<string, GroupMember>(members.map((member) => [member.path, member]));
  const all = groupTree(head, members);
  const links: (readonly [GroupMember, GroupMember])[] = [];
  for (const member of members) {
    const name = member.after && MANIFESTS[member.after.language];
    const manifest = name && byPath.get(manifestAbove(member.path, name, all) ?? "");
    if (!manifest) continue;
    const alone = await undeclaredModules(member, groupTree(head, [member]));
    const still = new Set(alone.length > 0 ? await undeclaredModules(member, all) : []);
    if (alone.some((one) => !still.has(one))) links.push([member, manifest]);
  }
  return links;
}

/** The nearest manifest of this name above a file. */
function manifestAbove(path: string, name: string, tree: GroupTree): string | null {
  for (let folder = folderOfPath(path); ; folder = folderOfPath(folder)) {
    if (tree.has(joinPath(folder, name))) return joinPath(folder, name);
    if (folder === "") return null;
  }
}

/** What no host serves is Go's own; what lies in `vendor` is there. */
async function undeclaredGo(member: GroupMember, tree: GroupTree): Promise<string[]> {
  const manifest = manifestAbove(member.path, "go.mod", tree);
  const fresh = freshSpecifiers(member).filter((one) => /^[\w-]+(?:\.[\w-]+)+\//.test(one));
  if (manifest === null || fresh.length === 0) return [];
  const versions = (await tree.factsOf(manifest))?.versions;
  if (!versions) return [];
  const modules = Object.keys(versions).map((key) => key.replace(/^replace (\S+) => .*$/, "$1"));
  const vendor = joinPath(folderOfPath(manifest), "vendor");
  const isKnown = (path: string): boolean =>
    modules.some((one) => path === one || path.startsWith(`${one}/`)) ||
    tree.hasFolder(joinPath(vendor, path));
  return outsideOf(
    member,
    fresh.filter((path) => !isKnown(path)),
    tree,
  );
}

/** By the words of its Cargo.toml, so that no way of naming a dependency is missed. */
async function undeclaredCrates(member: GroupMember, tree: GroupTree): Promise<string[]> {
  const manifest = manifestAbove(member.path, "Cargo.toml", tree);
  const fresh = freshSpecifiers(member).filter((one) => one.startsWith("::"));
  if (manifest === null || fresh.length === 0) return [];
  const declared = new Set((await tree.factsOf(manifest))?.declares ?? []);
  const was = new Set(specifiersOf(member.before).map(crateOf));
  const unknown = fresh.filter((one) => !declared.has(packageName(crateOf(one))) && !was.has(crateOf(one)));
  return [...new Set((await outsideOf(member, unknown, tree)).map(crateOf))];
}

const crateOf = (specifier: string): string => specifier.split("::")[1] ?? "";

const specifiersOf = (facts: GroupMember["after"]): string[] =>
  (facts?.source?.references ?? [])
    .filter(({ isOfValue, isOfType }) => !isOfValue && !isOfType)
    .map(({ specifier }) => specifier);

function freshSpecifiers({ before, after }: GroupMember): string[] {
  const was = new Set(specifiersOf(before));
  return specifiersOf(after).filter((one) => !was.has(one));
}

async function outsideOf(
  member: GroupMember,
  specifiers: readonly string[],
  tree: GroupTree,
): Promise<string[]> {
  const found: string[] = [];
  for (const reference of member.after?.source?.references ?? []) {
    if (!member.after || !specifiers.includes(reference.specifier) || reference.isOfType) continue;
    if ((await follow(member.path, member.after, reference, tree)).kind === "outside")
      found.push(reference.specifier);
  }
  return [...new Set(found)];
}
