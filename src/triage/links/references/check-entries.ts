/**
 * Files that a manifest names: the ways in of a package.json, and what else it, a pyproject.toml or a Cargo.toml says is there. One
 * that was there and went is missing. One that came to be named and is not there is missing where its folder is, and else no more
 * than not seen: a build may make it. What was missing before is not newly so.
 */
import { folderOfPath, joinPath, MODULE, nameOfPath } from "../../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../../facts/member.ts";
import { normalise, pythonTargets, scriptCandidates } from "./resolve.ts";
import type { GroupTree } from "./tree.ts";

/** Something that refers to what is not there. */
export interface BrokenReference {
  /** `untyped`: the source is there, and its types, which types mean, are not. */
  readonly kind: "missing-file" | "missing-export" | "unseen-name" | "untyped";
  readonly from: string;
  readonly line: number;
  readonly specifier: string;
  readonly names: readonly string[];
  /** Whether the file that refers is in the group. */
  readonly isOwn: boolean;
}

const MANIFESTS: readonly string[] = ["package.json", "pyproject.toml", "Cargo.toml"];

/** Folders that builds fill, and what they leave beside the source. */
const BUILT =
  /^(?:\.\/)?(?:[._]?build|bundles?|cjs|debug|dist|es|esm|generated|libs?|out|pkg|prebuilds|public|release|target|types|typings|umd)(?:\/|$)|\.(?:node|wasm|map)$|[.-](?:min|umd|esm|cjs|bundle|iife)\.\w+$/;

export async function brokenEntries(
  members: readonly GroupMember[],
  tree: GroupTree,
  plain: GroupTree,
): Promise<BrokenReference[]> {
  const broken: BrokenReference[] = [];
  for (const manifest of manifestsOf(members, tree)) {
    const [facts, old] = [await tree.factsOf(manifest), await plain.factsOf(manifest)];
    const isOwn = members.some(({ path }) => path === manifest);
    const judge = (name: string, was: readonly string[], place: EntryLookup): void => {
      const kind = verdictOn(manifest, name, { isOld: was.includes(name) }, place, tree, plain);
      const specifier = name.replace(MODULE, "");
      if (kind) broken.push({ kind, from: manifest, line: 1, specifier, names: [], isOwn });
    };
    for (const name of facts?.entries ?? []) judge(name, old?.entries ?? [], entryPlace);
    for (const name of facts?.named ?? []) judge(name, old?.named ?? [], namedPlace);
  }
  return broken;
}

function manifestsOf(members: readonly GroupMember[], tree: GroupTree): Set<string> {
  const found = new Set<string>();
  for (const { path, change } of members) {
    if (MANIFESTS.includes(nameOfPath(path)) && change.to !== null) found.add(path);
    // A file that went may be one that an unchanged manifest names.
    else if (change.to === null || change.fromPath !== undefined)
      for (const at of manifestsAbove(change.fromPath ?? path)) if (tree.has(at)) found.add(at);
  }
  return found;
}

function manifestsAbove(path: string): string[] {
  const found: string[] = [];
  for (let folder = folderOfPath(path); ; folder = folderOfPath(folder)) {
    found.push(...MANIFESTS.map((name) => joinPath(folder, name)));
    if (folder === "") return found;
  }
}

/** Whether what a manifest names is there, and where it would be. */
interface EntryLookup {
  isThere(manifest: string, name: string, tree: GroupTree): boolean;
  /** Whether what it is made of is there. */
  isMade(manifest: string, name: string, tree: GroupTree): boolean;
  /** Null: out of the workspace, or in several places. */
  of(manifest: string, name: string): string | null;
}

function verdictOn(
  manifest: string,
  name: string,
  { isOld }: { readonly isOld: boolean },
  place: EntryLookup,
  tree: GroupTree,
  plain: GroupTree,
): BrokenReference["kind"] | null {
  if (place.isThere(manifest, name, tree)) return null;
  if (place.isThere(manifest, name, plain)) return "missing-file";
  if (isOld) return null;
  const at = place.of(manifest, name);
  const folder = at === null ? "" : folderOfPath(at);
  // What a build makes lies in a folder that is not there.
  if (folder !== "" && folder !== folderOfPath(manifest) && plain.hasFolder(folder)) return "missing-file";
  return BUILT.test(name) || place.isMade(manifest, name, tree) ? null : "unseen-name";
}

const candidates = (manifest: string, specifier: string): string[] =>
  scriptCandidates(manifest, specifier.startsWith("./") ? specifier : `./${specifier}`);

const entryPlace: EntryLookup = {
  isThere: (manifest, name, tree) => candidates(manifest, name).some((at) => tree.has(at)),
  // Types beside their source.
  isMade: (manifest, name, tree) =>
    candidates(manifest, name.replace(/\.d(\.[mc]?ts)$/, "$1")).some((at) => tree.has(at)),
  of: (manifest, name) => candidates(manifest, name)[0] ?? null,
};

const namedPlace: EntryLookup = {
  isThere(manifest, name, tree) {
    if (name.startsWith(MODULE))
      return pythonTargets(manifest, name.slice(MODULE.length)).some(
        (target) => tree.hasFolder(target.folder) || target.candidates.some((at) => tree.has(at)),
      );
    const at = this.of(manifest, name);
    return at === null || at === "" || tree.has(at) || tree.hasFolder(at);
  },
  isMade: () => false,
  of: (manifest, name) => (name.startsWith(MODULE) ? null : normalise(`${folderOfPath(manifest)}/${name}`)),
};
