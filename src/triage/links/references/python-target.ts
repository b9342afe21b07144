/** Members that Python files read of values of the workspace's own classes: where the class is declared, through modules that hand it on. */
import { OF_VALUES } from "../../facts/known/file-facts.ts";
import { closedType, lacksMember, memberIn } from "../../facts/parse/type-members.ts";
import type { FollowedReference } from "./followed.ts";
import { pythonTargets } from "./resolve.ts";
import type { GroupTree } from "./tree.ts";

/** Modules that hand on what others handed on; a longer chain is not followed. */
const MAX_HANDED = 10;

/** What a class may get elsewhere nobody sees from here: one that it lacks is not seen, never missing. */
export async function membersOfPython(
  from: string,
  { specifier, names }: { readonly specifier: string; readonly names: readonly string[] },
  tree: GroupTree,
): Promise<FollowedReference> {
  const unseen: string[] = [];
  for (const name of names) {
    const wanted = memberIn(name);
    const given = wanted && (await classAt(from, specifier, wanted.type, tree, 0));
    if (wanted && given && lacksMember(given.members, given.type, wanted.member)) unseen.push(name);
  }
  return { kind: "found", paths: [], missing: [], unseen };
}

interface KnownClass {
  readonly type: string;
  readonly members: ReadonlySet<string>;
}

/** Null: it is not of the workspace, or not all that it has is written down. */
async function classAt(
  from: string,
  specifier: string,
  type: string,
  tree: GroupTree,
  depth: number,
): Promise<KnownClass | null> {
  if (depth > MAX_HANDED) return null;
  const path = specifier === OF_VALUES ? from : moduleAt(from, specifier, tree);
  const source = path === null ? null : (await tree.factsOf(path))?.source;
  if (path === null || !source) return null;
  const members = new Set(source.members ?? []);
  if (members.has(closedType(type))) return { type, members };
  const [handed, ...more] = source.handsOn.filter((one) => one.startsWith(`${type} `));
  if (handed === undefined || more.length > 0) return null;
  const [, onFrom = "", name = ""] = handed.split(" ");
  return classAt(path, onFrom, name, tree, depth + 1);
}

function moduleAt(from: string, specifier: string, tree: GroupTree): string | null {
  const found = pythonTargets(from, specifier).flatMap(({ candidates }) => {
    const path = candidates.find((candidate) => tree.has(candidate));
    return path === undefined ? [] : [path];
  });
  return found[0] ?? null;
}
