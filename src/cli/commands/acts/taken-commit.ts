/** The commit that an undo takes back or a redo brings back, in words: which, from which branch, and what is uncommitted again. */

import { treeBefore } from "../../../acts/compilers/reverse-commit.ts";
import type { PlanDraft } from "../../../acts/plans/draft.ts";
import type { UndoneCommit } from "../../../app/acts/compiled-act.ts";
import type { PathName } from "../../../model/path-name.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { hasCommit, treeChanges } from "../../../workspace/git/objects.ts";
import type { Repository } from "../../../workspace/git/repository.ts";
import { count, oneLine } from "../../screen/words.ts";

/** Of a commit's id, as everywhere on screens. */
export const SHOWN_ID_CHARS = 12;
/** Paths named on the screen; the JSON has them all. */
const MAX_NAMED = 3;

export interface TakenCommit {
  /** What becomes of the commit, as a sentence. */
  readonly goes: string;
  /** What is uncommitted again; null: it is brought back. */
  readonly uncommits: UndoneCommit | null;
  readonly again: string | null;
  /** What it changed. */
  readonly paths: readonly PathName[];
}

/** Null: the plan moved no branch, or nobody has its commit any more. */
export async function takenCommit(
  repository: Repository,
  { act, refs = [], head }: PlanDraft,
): Promise<TakenCommit | null> {
  const [swap, ...others] = refs;
  if (!swap || others.length > 0) return null;
  const branch = oneLine(swap.ref.replace(/^refs\/heads\//, ""));
  const commit = act === "undo" ? swap.expect : swap.put;
  if (commit === null || !(await hasCommit(repository, commit))) return null;
  const named = commit.slice(0, SHOWN_ID_CHARS);
  const parent = await treeBefore(repository, act === "undo" ? swap.put : swap.expect, commit);
  const paths = (await treeChanges(repository, parent, commit)).map(({ path }) => path);
  if (act !== "undo")
    return { goes: `The commit ${named} is on ${branch} again.`, uncommits: null, again: null, paths };
  const shown = paths.slice(0, MAX_NAMED).map((path) => shownPath(path));
  const more = paths.length - shown.length;
  const list = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  // A branch of its own (`park --branch`): HEAD never was on it.
  const isWhole = head === undefined && swap.put === null;
  return {
    goes: isWhole
      ? `The branch ${branch} is removed, and its commit ${named} with it.`
      : `The commit ${named} is taken off ${branch}.`,
    uncommits: { commit, ref: swap.ref, paths },
    paths,
    again: `${count(paths.length, "path is", "paths are")} uncommitted again: ${list}`,
  };
}
