/**
 * `park --branch NAME` (DESIGN 7): what is parked is also a commit of its own on a new branch, where a ref is wanted. The
 * branch HEAD is on does not move. Hooks do not run: nothing is said to be good by it. Undo takes the branch away again,
 * while it still points there (W2).
 */
import { assertIdentity } from "../../acts/git/commit-guard.ts";
import { type CommitPath, type UnfitPaths, writeCommitObjects } from "../../acts/git/commit-objects.ts";
import { writeCommit } from "../../acts/git/write-commit.ts";
import type { RefSwap } from "../../acts/plans/draft.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";
import { makeScratchTree, removeScratchTree } from "../../platform/scratch-tree.ts";
import { shownPath } from "../../text/shown-path.ts";
import { readHead } from "../../workspace/git/head.ts";
import type { Repository } from "../../workspace/git/repository.ts";

export interface BranchOrder {
  readonly env: Environment;
  readonly home: string;
  readonly branch: string;
  readonly paths: readonly CommitPath[];
  readonly message: string;
}

/** Throws E_BAD_BRANCH: git does not take the name. A branch of that name is a conflict of the plan: E_REF_MOVED. */
export async function branchSwap(
  repository: Repository,
  { env, home, branch, paths, message }: BranchOrder,
): Promise<RefSwap & { readonly put: string }> {
  const ref = await refOf(repository, branch);
  assertIdentity(repository, env);
  const head = await readHead(repository);
  const scratch = makeScratchTree(home);
  try {
    const written = await writeCommitObjects(repository, paths, head.id, scratch);
    if (written.kind === "unfit") throw notStored(written);
    const put = await writeCommit(repository, { tree: written.tree, parent: head.id, message });
    return { ref, expect: null, put };
  } finally {
    removeScratchTree(scratch);
  }
}

/** The branch has everything that is parked, or there is none. */
function notStored({ paths: [first] }: UnfitPaths): RefloatError {
  const why = first ? `${shownPath(first.path)}: ${first.why}` : "";
  return new RefloatError("E_GIT_FAILED", { command: "update-index", why });
}

export async function refOf(repository: Repository, branch: string): Promise<string> {
  const ref = `refs/heads/${branch}`;
  // By itself `check-ref-format` takes a leading dash; git's own commands would not.
  const output = branch.startsWith("-")
    ? null
    : await repository.run(["check-ref-format", "--normalize", ref], { answers: [1] });
  if (output?.toString("utf8").trim() !== ref) throw new RefloatError("E_BAD_BRANCH", { branch });
  return ref;
}
