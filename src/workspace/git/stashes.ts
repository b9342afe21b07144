/** The stashes of a repository and the branch each was made on, as git notes it: they are shared by all its work trees. */
import type { Repository } from "./repository.ts";

export interface Stash {
  readonly message: string;
  /** Null: made on a detached HEAD, or noted in a way nobody can read. */
  readonly branch: string | null;
}

export async function listStashes(repository: Repository): Promise<Stash[]> {
  const args = ["reflog", "show", "-z", "--format=%gs", "refs/stash", "--"];
  const output = await repository.run(args, { answers: [128] });
  return output
    .toString("utf8")
    .split("\0")
    .filter((message) => message !== "")
    .map((message) => ({ message, branch: branchOf(message) }));
}

/** "WIP on main: 1a2b3c4 title", "On main: words". */
function branchOf(message: string): string | null {
  const name = /^(?:WIP on|On) (.+?): /.exec(message)?.[1];
  return name === undefined || name === "(no branch)" ? null : name;
}
