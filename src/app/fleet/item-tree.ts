/**
 * The work tree an item is done in: one of its own beside the clone, on a branch of its own that begins where the clone stands. Made by
 * whoever holds the claim of its session; begun again after a kill it finds what is there.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { SHORT_ID } from "../../salvage/worktrees/travel.ts";
import { readHead } from "../../workspace/git/head.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { listWorktrees } from "../../workspace/git/worktrees.ts";

/** Where it will be, and on which branch. */
export interface ItemTree {
  readonly path: string;
  readonly branch: string;
}

/** For any session in this clone. */
export async function itemTrees(clone: Repository): Promise<(session: string) => ItemTree> {
  const [main] = await listWorktrees(clone);
  const root = main?.path ?? clone.root;
  return (session) => {
    const short = session.slice(0, SHORT_ID);
    return { path: join(dirname(root), `${basename(root)}-${short}`), branch: `refloat/${short}` };
  };
}

export async function makeItemTree(clone: Repository, session: string): Promise<ItemTree> {
  const tree = (await itemTrees(clone))(session);
  const { path, branch } = tree;
  const listed = await listWorktrees(clone);
  const isThere = listed.some((one) => one.path === path && one.prunable === null);
  if (isThere) return tree;
  const why = (text: string): RefloatError => new RefloatError("E_WORKER_TREE", { session, path, why: text });
  if (existsSync(path)) throw why("something else is there");
  const { id: head } = await readHead(clone);
  if (head === null) throw why("the clone has no commit");
  // From an earlier start: then it has what that one committed, if anything (W2: it is never put back).
  const known = await clone.run(["for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`]);
  const isKnown = known.toString("latin1").trim() !== "";
  const which = isKnown ? [path, branch] : ["-b", branch, path, head];
  await clone.run(["worktree", "add", "--force", ...which], { isWriting: true });
  return tree;
}
