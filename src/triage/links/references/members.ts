/** Members: of values whose types nobody here follows, where one file that has such a member will do, and of types that are known. */
import { closedType, lacksMember, memberIn } from "../../facts/parse/type-members.ts";
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

/**
 * Members of types that these files declare. A file that does not parse may have any; a type that is not declared here, or that takes from
 * elsewhere what it has, has what it is asked for.
 */
export async function membersOfTypes(
  files: readonly string[],
  names: readonly string[],
  tree: GroupTree,
): Promise<FollowedReference> {
  const asked = names.flatMap((name) => memberIn(name) ?? []);
  const given = new Set<string>();
  const paths: string[] = [];
  // Side by side: what they ask of HEAD in one turn is read by one command.
  const all = await Promise.all(files.map((path) => tree.factsOf(path)));
  for (const [at, facts] of all.entries()) {
    if (!facts?.source) return { kind: "outside" };
    for (const name of facts.source.exports) given.add(name);
    const isOfOne = asked.some(({ type }) => facts.source?.exports.includes(closedType(type)));
    if (isOfOne) paths.push(files[at] ?? "");
  }
  const missing = names.filter((name) => {
    const member = memberIn(name);
    return member !== null && lacksMember(given, member.type, member.member);
  });
  return { kind: "found", paths, missing, unseen: [] };
}
