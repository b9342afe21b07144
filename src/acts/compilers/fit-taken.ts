/**
 * What of an undo or redo can be done now. Where a ref moves, everything in a draft is one (draft.ts), and still one conflict
 * must not keep the other groups of the plan (DESIGN 15): parts that cannot go are left out before the plan is made. They stand,
 * and the next undo finds them. A commit is one part with its groups: it goes whole, or it stays whole (W2). Reads only.
 */
import type { PathName } from "../../model/path-name.ts";
import type { Store } from "../../store/store.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { partOf, partsOf, REF_PART } from "../plans/history.ts";
import type { Conflict } from "../plans/outcome.ts";
import { planDraft } from "../primitive/apply-draft.ts";
import type { LeftAlone } from "./put-back.ts";
import { type Reversal, reversalFor } from "./reverse-commit.ts";
import { leavingOut, type TakenDraft } from "./undo.ts";

type RewrittenReversal = Extract<Reversal, { kind: "rewritten" }>;

export type FittedTaken =
  | {
      readonly kind: "fitted";
      /** Null: nothing of it can go. */
      readonly taken: TakenDraft | null;
      readonly reversal: Extract<Reversal, { kind: "none" | "commit" }>;
      /** Of groups that were left out: they are not as the plan left them. */
      readonly stuck: readonly Conflict[];
      /** Of a commit that was left out. */
      readonly leftAlone: readonly LeftAlone[];
    }
  /** There is no such commit on the branch, and nothing but the commit to take back. */
  | RewrittenReversal;

export interface FitPlace {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly repository: Repository;
}

const NONE = { kind: "none" } as const;
const CHANGED_LATER = "a later commit changed it again";

export async function fitTaken(place: FitPlace, taken: TakenDraft): Promise<FittedTaken> {
  const { rest, stuck } = await withoutStuck(place, taken);
  const fitted = { kind: "fitted", taken: rest, reversal: NONE, stuck, leftAlone: [] } as const;
  if ((rest.draft.refs ?? []).length === 0) return fitted;
  const reversal = await reversalFor(place.repository, rest.draft);
  switch (reversal.kind) {
    case "none":
    case "commit":
      return { ...fitted, reversal };
    case "changed":
      return { ...fitted, ...withoutCommit(rest, reversal.paths, CHANGED_LATER) };
    case "rewritten": {
      const left = withoutCommit(rest, committedPaths(rest), "its commit is not on the branch any more");
      return left.taken === null || left.leftAlone.length === 0 ? reversal : { ...fitted, ...left };
    }
    default:
      return reversal satisfies never;
  }
}

/** One part alone is for the primitive to look at. */
async function withoutStuck(
  { store, workspace }: FitPlace,
  taken: TakenDraft,
): Promise<{ readonly rest: TakenDraft; readonly stuck: readonly Conflict[] }> {
  const { plan, draft } = taken;
  if ((draft.refs ?? []).length === 0 || partsOf(plan).size === 1) return { rest: taken, stuck: [] };
  const looked = await planDraft(store, workspace, draft);
  const hit = new Set(looked.conflicts.map(({ group }) => partOf(plan, group)));
  // Without the ref the other groups are no longer one, and each is looked at for itself.
  const left = hit.has(REF_PART) ? new Set([REF_PART]) : hit;
  const rest = leavingOut(taken, left);
  if (rest === null) return { rest: taken, stuck: [] };
  return { rest, stuck: looked.conflicts.filter(({ group }) => left.has(partOf(plan, group))) };
}

function withoutCommit(
  taken: TakenDraft,
  paths: readonly PathName[],
  why: string,
): { readonly taken: TakenDraft | null; readonly leftAlone: readonly LeftAlone[] } {
  const leftAlone = paths.map((path) => ({ path, why, isConflict: true }));
  return { taken: leavingOut(taken, new Set([REF_PART])), leftAlone };
}

function committedPaths({ plan }: TakenDraft): PathName[] {
  const bound = [...plan.puts, ...plan.index].filter(({ group }) => partOf(plan, group) === REF_PART);
  return [...new Set(bound.map(({ path }) => path))];
}
