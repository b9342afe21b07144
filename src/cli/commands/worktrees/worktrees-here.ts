/** The verdicts on a repository's work trees, for the command that lists them and the one that removes them (S7). */

import { parkedFrom } from "../../../app/acts/parked.ts";
import type { WorkspaceHere } from "../../../app/place/workspace-here.ts";
import {
  gatherWorktrees,
  judgeWorktree,
  type WorktreeVerdict,
} from "../../../salvage/worktrees/worktrees.ts";
import type { GitWorkspace } from "../../../workspace/opening/workspace.ts";
import type { Context } from "../../context/context.ts";

export async function worktreesHere(
  context: Context,
  { env, place }: WorkspaceHere,
  workspace: GitWorkspace,
): Promise<WorktreeVerdict[]> {
  const store = await context.findStore();
  const facts = await gatherWorktrees(await workspace.repository(), store?.raw ?? null, {
    env,
    place,
    parkedFrom: (root) => parkedFrom(store?.raw ?? null, root, env),
  });
  return facts.map(judgeWorktree);
}
