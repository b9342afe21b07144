/** Packages that came to be imported and that nothing declares: of scripts no package.json above, of Python undeclared-python.ts. */
import { builtinModules } from "node:module";
import { packageOf } from "../../facts/manifests/package-of.ts";
import type { GroupMember } from "../../facts/member.ts";
import { declaredAbove } from "./declared.ts";
import type { GroupTree, HeadSources } from "./tree.ts";
import { type UndeclaredImports, undeclaredInPython } from "./undeclared-python.ts";

const BUILT_IN: ReadonlySet<string> = new Set(builtinModules);

export async function undeclaredIn(
  members: readonly GroupMember[],
  head: HeadSources,
  tree: GroupTree,
): Promise<UndeclaredImports[]> {
  const found: UndeclaredImports[] = await undeclaredInPython(members, head, tree);
  for (const member of members) {
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
