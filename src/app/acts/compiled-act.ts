/** What is shown, asked about and done (act.ts): facts only; a face words them. */

import type { LeftAlone } from "../../acts/compilers/put-back.ts";
import type { PlanDraft } from "../../acts/plans/draft.ts";
import type { Conflict } from "../../acts/plans/outcome.ts";
import type { Plan } from "../../acts/plans/plans.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Group } from "../../triage/verdict/group.ts";

export interface CompiledAct {
  readonly draft: PlanDraft;
  readonly leftAlone: readonly LeftAlone[];
  /** Of groups that are in conflict and were left out of the draft. */
  readonly stuck?: readonly Conflict[];
  readonly subject: ActSubject;
  /** The word of the contract for what happens to each group. */
  readonly word: "restore" | "discard";
  /** The commit that has bytes the store may not have yet. */
  readonly commit: string | null;
  /** What files named one by one are part of: a group the act takes apart is said (S4). */
  readonly groups?: readonly Group[];
  /** The commit that an undo takes back or a redo brings back. */
  readonly taken?: TakenCommit;
  /** W2: the act adds a commit that reverses this one. */
  readonly reversal?: ActReversal;
}

/** What an act is about. */
export type ActSubject =
  /** `otherTree`: it was taken there, and not in the tree it is put into; null: in this one. `note`: without secrets (T4). */
  | {
      readonly kind: "capture";
      readonly capture: string;
      readonly atMs: number;
      readonly note: string | null;
      readonly otherTree: string | null;
    }
  /** What a session left, and where that is another tree, what this clone does not have of it; null: its own (W8). */
  | {
      readonly kind: "held";
      readonly session: string;
      readonly capture: string;
      readonly atMs: number;
      readonly away: { readonly path: string; readonly missing: readonly string[] } | null;
    }
  /** `isUnstaged`: it was parked in another tree, and what was staged of it is not staged here. */
  | { readonly kind: "parked"; readonly name: string; readonly isUnstaged: boolean }
  /** `clean`: paths that go back to what HEAD has, which git calls unmodified. */
  | { readonly kind: "session"; readonly session: string; readonly clean: number }
  /** `act`: what is taken back or done again; of a redo the act itself, not its undo. `plan`: what stands of it. */
  | {
      readonly kind: "plan";
      readonly what: "undo" | "redo";
      readonly act: Pick<Plan, "act" | "id" | "atMs">;
      readonly plan: Plan;
    };

export interface TakenCommit {
  readonly commit: string;
  readonly ref: string;
  /** What it changed. */
  readonly paths: readonly PathName[];
  /** `uncommitted`: its paths are so again. `branch-removed`: its branch goes with it. `again`: a redo brings it back. */
  readonly kind: "uncommitted" | "branch-removed" | "again";
}

export interface ActReversal {
  readonly reverses: string;
  /** Why the commit itself stays. */
  readonly why: string;
  /** Writes the commit once the user agreed, and gives the draft that moves the branch to it. */
  write(): Promise<{ readonly draft: PlanDraft; readonly commit: string }>;
}
