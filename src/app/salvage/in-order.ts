/**
 * Why something was not settled, and in which order it would be: what stands upon changes that nobody has committed yet is committed
 * after them (W5); what a newer session went on with, with its work; and what could not be looked into is not "nothing" (W4, T1).
 */
import type { Conflict } from "../../acts/plans/outcome.ts";
import type { PathName } from "../../model/path-name.ts";
import { overlaid, wasDirtyBefore } from "../../salvage/changes/owned-changes.ts";
import type { Salvage } from "../../salvage/judging/salvage.ts";
import { untoldGaps } from "../../salvage/manifest/manifest.ts";
import type { PlannedSettle } from "./settle-order.ts";

type CameOut = Pick<PlannedSettle, "found" | "settled">;

export interface WhyNothing {
  /** What newer sessions went on with: there is nothing to settle but with theirs. */
  readonly newer: readonly { readonly path: PathName; readonly by: string }[];
  readonly gaps: readonly { readonly path: PathName; readonly why: string }[];
}

/** Where no group is left to settle; else there is nothing to say. */
export function whyNothing({ found, settled }: CameOut): WhyNothing {
  if (settled.acts.length > 0) return { newer: [], gaps: [] };
  return { newer: found.owned.held === null ? overlaid(found.owned) : [], gaps: untoldGaps(found) };
}

/** The newer work is parked meanwhile, so that the older lies there as it was left. */
export interface OrderToCommit {
  /** The newer work, which is in conflict. */
  readonly groups: readonly string[];
  /** Committed first; `session`: null: what nobody known did, which is the user's own to commit. */
  readonly older: readonly { readonly session: string | null; readonly paths: readonly PathName[] }[];
  /** Older work may stand upon older work itself, and then has its own order. */
  readonly isStepwise: boolean;
}

/** Null: nothing is in conflict that its order would mend. */
export function commitOrder({ found, settled }: CameOut): OrderToCommit | null {
  const upon = settled.conflicts.filter(({ earlier }) => earlier !== undefined);
  if (upon.length === 0 || found.session.isImplied) return null;
  const sessions = [...new Set(upon.map(({ earlier }) => earlier ?? null))];
  return {
    groups: [...new Set(upon.map(({ group }) => group))],
    older: sessions.map((session) => ({
      session,
      paths: upon.flatMap(({ path, earlier }) => (earlier === session ? [path] : [])),
    })),
    isStepwise: upon.some((one) => standsItself(one, found.owned)),
  };
}

/** The older session's work stands upon changes that were there before it, too: committing it tells their order. */
function standsItself({ path, earlier }: Conflict, { tracks }: Salvage["owned"]): boolean {
  return wasDirtyBefore(path, tracks.find(({ session }) => session === earlier) ?? null);
}
