/** The work trees of a repository, found by looking at files only: the main one and the linked ones that are there. */
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errnoOf } from "../../platform/io-error.ts";
import type { Location } from "./locate.ts";

/** This one first, then the others by their paths. */
export function worktreeRoots({ root, commonDir }: Location): string[] {
  // Of a submodule or a bare repository the folder above is no work tree.
  const main = basename(commonDir) === ".git" ? [dirname(commonDir)] : [];
  const linked = namesIn(join(commonDir, "worktrees")).flatMap((name) =>
    linkedRoot(join(commonDir, "worktrees", name)),
  );
  const others = new Set([...main, ...linked].filter((path) => path !== root));
  return [root, ...[...others].sort()];
}

/** What git wrote there is the path of the work tree's own `.git` file. Gone: nothing. */
function linkedRoot(entry: string): string[] {
  const file = join(entry, "gitdir");
  if (!existsSync(file)) return [];
  const pointer = resolve(entry, readFileSync(file, "utf8").replace(/\n$/, ""));
  return existsSync(pointer) ? [realpathSync(dirname(pointer))] : [];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return [];
    throw thrown;
  }
}
