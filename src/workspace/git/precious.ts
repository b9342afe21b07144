/** Ignored files somebody called precious (W6): found by git, so that the ignore rules are the effective ones. */
import type { PathName } from "../../model/path-name.ts";
import { nulPaths } from "../../platform/nul-fields.ts";
import type { Repository } from "./repository.ts";

export async function listPrecious(
  repository: Repository,
  globs: readonly string[],
  timeoutMs: number,
): Promise<PathName[]> {
  if (globs.length === 0) return [];
  const args = [
    "ls-files",
    "-z",
    "--others",
    "--ignored",
    "--exclude-standard",
    "--",
    ...globs.map(pathspec),
  ];
  const output = await repository.run(args, { timeoutMs, pathspecs: "magic" });
  return nulPaths(output);
}

/** Without a slash a glob means the name wherever it lies, as in .gitignore. */
const pathspec = (glob: string): string => `:(top,glob)${glob.includes("/") ? glob : `**/${glob}`}`;
