/** Whoever sits there decides group by group before anything is settled: what he is shown, and what comes of what he chose. */
import type { Manifest } from "../../model/manifest.ts";
import { whyNotOwn } from "../../salvage/judging/judged-groups.ts";
import type { Salvage } from "../../salvage/judging/salvage.ts";
import { mayTake } from "../../salvage/settle/choose-groups.ts";
import {
  actsByPolicy,
  type GroupAct,
  type Policy,
  type SettleAct,
  withoutFirstCommit,
} from "../../salvage/settle/policy.ts";
import type { SettleOutcome } from "../../salvage/settle/settle.ts";
import type { Group } from "../../triage/verdict/group.ts";

export interface ReviewedGroup {
  readonly group: Group;
  /** What the policy does with it. It touches only what the session owns, or is adopted for it (W5). */
  readonly proposed: SettleAct;
  /** False: the rest is for whoever names it. */
  readonly isOwn: boolean;
}

export interface ReviewAsked {
  readonly found: Salvage;
  readonly manifest: Manifest;
  /** What may be decided, the worst first; at least one. */
  readonly groups: readonly ReviewedGroup[];
  readonly policy: Policy;
  readonly message: string | null;
  readonly canCommit: boolean;
  /** Looks and decides only. */
  plan(chosen: ReviewChoices): Promise<SettleOutcome>;
  /** What a commit of these groups says, where nobody wrote a message. */
  messageOf(groups: readonly Group[]): string;
}

export interface ReviewChoice {
  readonly act: SettleAct;
  readonly by: "key" | "policy";
}

export interface ReviewChoices {
  /** By group; what is not there is left. */
  readonly choices: ReadonlyMap<string, ReviewChoice>;
  /** Of the commit; null: the proposed one. */
  readonly message: string | null;
}

export interface ReviewDecision {
  readonly acts: readonly GroupAct[];
  /** Groups somebody chose an act for himself: he answers for them (W5). */
  readonly named: ReadonlySet<string>;
  readonly message: string | null;
}

export type ReviewOutcome =
  | ({ readonly kind: "agreed"; readonly planned: SettleOutcome } & ReviewChoices)
  | { readonly kind: "quit" }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals };

export type Review = (asked: ReviewAsked) => Promise<ReviewOutcome>;

/** `isAdopted`: what is nobody's is taken for the session's, by the policy too. */
export function reviewedGroups(
  groups: readonly Group[],
  policy: Policy,
  { owned }: Salvage,
  { isAdopted }: { readonly isAdopted: boolean },
): ReviewedGroup[] {
  return withoutFirstCommit(actsByPolicy(groups, policy), owned.now.reading.head).map(({ group, act }) => {
    const isOwn = mayTake(group, { isAdopted });
    return { group, proposed: isOwn ? act : "leave", isOwn };
  });
}

/** What was chosen, as settling takes it. */
export function decidedBy(
  groups: readonly ReviewedGroup[],
  { choices, message }: ReviewChoices,
): ReviewDecision {
  const named = new Set([...choices].flatMap(([id, { by }]) => (by === "key" ? [id] : [])));
  const acts = groups.map(({ group, isOwn }): GroupAct => {
    const act = choices.get(group.id)?.act ?? "leave";
    const isMeant = named.has(group.id) || act !== "leave" || isOwn;
    return { group, act, why: isMeant ? null : whyNotOwn(group) };
  });
  return { acts, named, message };
}
