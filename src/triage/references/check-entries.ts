/** The ways in that a package.json names: main, bin, exports and the like lead to files. */
import { folderOfPath, joinPath, nameOfPath } from "../manifests.ts";
import type { Member } from "../member.ts";
import type { BrokenReference } from "./broken-reference.ts";
import { scriptCandidates } from "./resolve-script.ts";
import type { GroupTree } from "./tree.ts";

export async function brokenEntries(
  members: readonly Member[],
  tree: GroupTree,
  plain: GroupTree,
): Promise<BrokenReference[]> {
  const manifests = new Set<string>();
  for (const { path, change } of members) {
    if (nameOfPath(path) === "package.json" && change.to !== null) manifests.add(path);
    // A file that went may be one that an unchanged manifest names.
    else if (change.to === null || change.fromPath !== undefined)
      for (const at of manifestsAbove(path)) if (tree.has(at)) manifests.add(at);
  }
  const broken: BrokenReference[] = [];
  for (const manifest of manifests) {
    const facts = await tree.factsOf(manifest);
    for (const specifier of facts?.entries ?? []) {
      if (leads(manifest, specifier, tree) || !isTracked(manifest, specifier, plain)) continue;
      const isOwn = members.some(({ path }) => path === manifest);
      broken.push({ kind: "missing-file", from: manifest, line: 1, specifier, names: [], isOwn });
    }
  }
  return broken;
}

function manifestsAbove(path: string): string[] {
  const found: string[] = [];
  for (let folder = folderOfPath(path); ; folder = folderOfPath(folder)) {
    found.push(joinPath(folder, "package.json"));
    if (folder === "") return found;
  }
}

const leads = (manifest: string, specifier: string, tree: GroupTree): boolean =>
  candidates(manifest, specifier).some((at) => tree.has(at));

const candidates = (manifest: string, specifier: string): string[] =>
  scriptCandidates(manifest, specifier.startsWith("./") ? specifier : `./${specifier}`);

/** It was there, or its folder is: what a build makes lies in a folder that is not. */
function isTracked(manifest: string, specifier: string, plain: GroupTree): boolean {
  if (leads(manifest, specifier, plain)) return true;
  const [place] = candidates(manifest, specifier);
  const folder = place === undefined ? "" : folderOfPath(place);
  return folder !== "" && folder !== folderOfPath(manifest) && plain.hasFolder(folder);
}
