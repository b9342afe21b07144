/** Whoever sits there decides group by group before anything is settled: what he is shown, and what comes of it. */
import type { Salvage } from "../../salvage/judging/salvage.ts";
import type { GroupAct, Policy } from "../../salvage/settle/policy.ts";
import type { SettleOutcome } from "../../salvage/settle/settle.ts";
import type { Group } from "../../triage/verdict/group.ts";

export interface ReviewAsked {
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

export type Review = (asked: ReviewAsked) => Promise<ReviewOutcome>;
