/** Ignored files somebody called precious (W6): found by git, so that the ignore rules are the effective ones. */
import { type PathName, pathFromBytes } from "../../model/path-name.ts";
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
  const paths: PathName[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    paths.push(pathFromBytes(output.subarray(at, end)));
    at = end + 1;
  }
  return paths;
}

/** Without a slash a glob means the name wherever it lies, as in .gitignore. */
const pathspec = (glob: string): string => `:(top,glob)${glob.includes("/") ? glob : `**/${glob}`}`;
