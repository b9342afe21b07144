/** Files that somebody of the group refers to, or that a package.json names as a way in. */
import { folderOfPath, joinPath } from "../../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../../facts/member.ts";
import { leadsTo } from "./follow.ts";
import { scriptCandidates } from "./resolve-script.ts";
import type { GroupTree } from "./tree.ts";

export async function takenIn(members: readonly GroupMember[], tree: GroupTree): Promise<string[]> {
  if (!members.some(({ change }) => change.kind === "added")) return [];
  const taken: string[] = [];
  for (const { path, after } of members) {
    for (const reference of after?.source?.references ?? [])
      if (after) taken.push(...(await leadsTo(path, after, reference, tree)));
    const manifest = joinPath(folderOfPath(path), "package.json");
    const entries = tree.has(manifest) ? ((await tree.factsOf(manifest))?.entries ?? []) : [];
    for (const entry of entries)
      taken.push(...scriptCandidates(manifest, entry.startsWith("./") ? entry : `./${entry}`));
  }
  const root = tree.has("package.json") ? ((await tree.factsOf("package.json"))?.entries ?? []) : [];
  return [
    ...taken,
    ...root.flatMap((entry) =>
      scriptCandidates("package.json", entry.startsWith("./") ? entry : `./${entry}`),
    ),
  ];
}
