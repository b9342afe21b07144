/** Members of values whose types nobody here follows: one file that has such a member will do. */
import type { FollowedReference } from "./followed.ts";
import type { GroupTree } from "./tree.ts";

export async function membersIn(
  files: readonly string[],
  names: readonly string[],
  tree: GroupTree,
): Promise<FollowedReference> {
  const wanted = new Set(names);
  const paths: string[] = [];
  for (const path of files) {
    if (wanted.size === 0) break;
    const given = ((await tree.factsOf(path))?.source?.exports ?? []).filter((name) => wanted.has(name));
    if (given.length > 0) paths.push(path);
    for (const name of given) wanted.delete(name);
  }
  return { kind: "found", paths, missing: [...wanted], unseen: [] };
}
