/** What a review is about, and what comes of it. */
import { whyNotOwn } from "../../salvage/judging/judged-groups.ts";
import type { Salvage } from "../../salvage/judging/salvage.ts";
import { mayTake } from "../../salvage/settle/choose-groups.ts";
import { messageFor } from "../../salvage/settle/message.ts";
import type { GroupAct, Policy } from "../../salvage/settle/policy.ts";
import type { SettleOutcome } from "../../salvage/settle/settle.ts";
import type { Group } from "../../triage/verdict/group.ts";
import type { Context } from "../context/context.ts";
import type { ReviewState } from "./review-state.ts";

export interface ReviewOrder {
  readonly context: Context;
  readonly found: Salvage;
  /** What may be decided, the worst first; at least one. */
  readonly groups: readonly Group[];
  readonly policy: Policy;
  /** `--adopt`: what is nobody's is taken for the session's, by the policy too. */
  readonly isAdopted: boolean;
  readonly message: string | null;
  readonly canCommit: boolean;
  /** Looks and decides only. */
  plan(decided: ReviewDecision): Promise<SettleOutcome>;
}

export interface ReviewDecision {
  readonly acts: readonly GroupAct[];
  /** Groups somebody chose an act for himself: he answers for them (W5). */
  readonly named: ReadonlySet<string>;
  readonly message: string | null;
}

export type ReviewOutcome =
  | ({ readonly kind: "agreed"; readonly planned: SettleOutcome } & ReviewDecision)
  | { readonly kind: "quit" }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals };

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
