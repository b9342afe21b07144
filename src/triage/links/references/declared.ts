/** Packages that a script may import: those that a package.json above it names. */
import { folderOfPath, joinPath } from "../../facts/manifests/manifest-kinds.ts";
import type { GroupTree } from "./tree.ts";

/** Null: no package.json above, or one that cannot be read. */
export async function declaredAbove(path: string, tree: GroupTree): Promise<ReadonlySet<string> | null> {
  const names = new Set<string>();
  let isFound = false;
  for (let folder = folderOfPath(path); ; folder = folderOfPath(folder)) {
    const manifest = joinPath(folder, "package.json");
    if (tree.has(manifest)) {
      const versions = (await tree.factsOf(manifest))?.versions;
      if (!versions) return null;
      isFound = true;
      for (const key of Object.keys(versions))
        if (!/^(?:overrides|resolutions|volta) /.test(key)) names.add(key.slice(key.indexOf(" ") + 1));
    }
    if (folder === "") return isFound ? names : null;
  }
}
