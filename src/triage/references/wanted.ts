/** Which names of the group's files other files of the group want: each by the path of the file that is to give it. */
import type { Member } from "../member.ts";
import { leadsTo } from "./follow.ts";
import type { GroupTree } from "./tree.ts";

export type Wanted = ReadonlyMap<string, ReadonlySet<string>>;

export async function wantedIn(members: readonly Member[], tree: GroupTree): Promise<Wanted> {
  const own = new Set<string>(members.map(({ path }) => path));
  const wanted = new Map<string, Set<string>>();
  for (const { path, after } of members)
    for (const reference of after?.source?.references ?? []) {
      if (!after || reference.names.length === 0) continue;
      for (const target of await leadsTo(path, after, reference, tree)) {
        if (target === path || !own.has(target)) continue;
        const names = wanted.get(target) ?? new Set();
        for (const name of reference.names) names.add(name);
        wanted.set(target, names);
      }
    }
  return wanted;
}
