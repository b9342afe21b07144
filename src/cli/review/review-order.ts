/** What was chosen in a review, as settling takes it, and what its commit will say. */

import type { ReviewAsked, ReviewDecision } from "../../app/salvage/review.ts";
import { whyNotOwn } from "../../salvage/judging/judged-groups.ts";
import { mayTake } from "../../salvage/settle/choose-groups.ts";
import { messageFor } from "../../salvage/settle/message.ts";
import type { GroupAct } from "../../salvage/settle/policy.ts";
import type { SettleOutcome } from "../../salvage/settle/settle.ts";
import type { Context } from "../context/context.ts";
import type { ReviewState } from "./review-state.ts";

export interface ReviewOrder extends ReviewAsked {
  /** Where it is shown. */
  readonly context: Context;
}

/** What was chosen, as settling takes it. */
export function decidedBy(
  { groups, isAdopted }: ReviewOrder,
  { choices, message }: ReviewState,
): ReviewDecision {
  const named = new Set([...choices].flatMap(([id, { by }]) => (by === "key" ? [id] : [])));
  const acts = groups.map((group): GroupAct => {
    const act = choices.get(group.id)?.act ?? "leave";
    const isMeant = named.has(group.id) || act !== "leave" || mayTake(group, { isAdopted });
    return { group, act, why: isMeant ? null : whyNotOwn(group) };
  });
  return { acts, named, message };
}

/**
 * What the commit will say: of a plan, of the groups it commits, which are not those in conflict (T1). Before there is one, of those
 * chosen; before anything is to be committed, as if the group on the screen were.
 */
export function messageIn(
  { groups, found }: ReviewOrder,
  { at, choices, message }: ReviewState,
  planned: SettleOutcome | null,
): string {
  const chosen = groups.filter(({ id }) => choices.get(id)?.act === "commit");
  const committed = planned?.acts.flatMap(({ act, group }) => (act === "commit" ? [group] : [])) ?? chosen;
  return message ?? messageFor(found, committed.length > 0 ? committed : groups.slice(at, at + 1));
}
