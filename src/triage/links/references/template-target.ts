/** Where what a template includes is defined: in any file of its chart's templates, or in a chart that it takes from elsewhere. */
import type { FollowedReference } from "./followed.ts";
import type { GroupTree } from "./tree.ts";

const TEMPLATES = /^(.*?)(?:^|\/)templates\//;

export async function followTemplate(
  from: string,
  { names }: { readonly names: readonly string[] },
  tree: GroupTree,
): Promise<FollowedReference> {
  const chart = TEMPLATES.exec(from)?.[1];
  if (chart === undefined) return { kind: "outside" };
  const wanted = new Set(names);
  const paths: string[] = [];
  const files = [".tpl", ".yaml", ".yml"].flatMap((ending) => tree.filesBelow(chart, ending));
  for (const path of files.filter((one) => TEMPLATES.test(one) && one !== from)) {
    if (wanted.size === 0) break;
    const given = ((await tree.factsOf(path))?.source?.exports ?? []).filter((name) => wanted.has(name));
    if (given.length > 0) paths.push(path);
    for (const name of given) wanted.delete(name);
  }
  // A library chart may define it: a doubt, not a proof.
  return { kind: "found", paths, missing: [], unseen: [...wanted] };
}
