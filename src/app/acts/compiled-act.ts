/** What a command hands over to be shown, asked about and done (act.ts). */

import type { LeftAlone } from "../../acts/compilers/put-back.ts";
import type { PlanDraft } from "../../acts/plans/draft.ts";
import type { Conflict } from "../../acts/plans/outcome.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Group } from "../../triage/verdict/group.ts";

export interface CompiledAct {
  readonly draft: PlanDraft;
  readonly leftAlone: readonly LeftAlone[];
  /** Of groups that are in conflict and were left out of the draft. */
  readonly stuck?: readonly Conflict[];
  /** Said where something is in conflict: what becomes of it. */
  readonly inConflict?: (paths: readonly PathName[]) => readonly string[];
  /** What is done, as the first line of the plan: "Put back what capture 7k2m holds". */
  readonly title: string;
  /** The word of the contract for what happens to each group. */
  readonly word: "restore" | "discard";
  /** The commit that has bytes the store may not have yet. */
  readonly commit: string | null;
  /** What files named one by one are part of: a group the act takes apart is said (S4). */
  readonly groups?: readonly Group[];
  readonly notes?: readonly string[];
  /** A sentence where no path of the tree changes, instead of "nothing to do". */
  readonly without?: string;
  /** The commit that is taken back, with the paths that are uncommitted again. */
  readonly uncommits?: UndoneCommit;
  /** Of an undo or redo: what the commit that goes or comes back holds, though no file changes for it. */
  readonly committed?: readonly PathName[];
  /** W2: the act adds a commit that reverses this one. */
  readonly reversal?: ActReversal;
}

export interface UndoneCommit {
  readonly commit: string;
  readonly ref: string;
  readonly paths: readonly PathName[];
}

export interface ActReversal {
  readonly reverses: string;
  /** Writes the commit once the user agreed, and gives the draft that moves the branch to it. */
  write(): Promise<{ readonly draft: PlanDraft; readonly commit: string }>;
}
