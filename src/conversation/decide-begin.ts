/**
 * Whether a session may be begun by whoever has its claim free before him (L2, L4). Pure. Begun again and again by the
 * program that dies in it, a session escalates as it does under `run`: what would be its third dirty end in a row is recovered
 * first, with the capture that may yet show progress, and then it is suspended or not.
 */
import { type DirtyEnds, isToSuspend } from "../session/escalation.ts";

export interface BeginFacts {
  /** The reason it is suspended for; null: it is not. */
  readonly suspended: string | null;
  /** With the end that was just found, if one was. */
  readonly ends: DirtyEnds;
  /** Something was cut off that nobody has settled yet. */
  readonly isCutOff: boolean;
  /** Why it may go on all the same, by whoever begins it. */
  readonly lift: string | null;
}

export type BeginDecision =
  | { readonly kind: "go" }
  | { readonly kind: "lift"; readonly reason: string }
  | { readonly kind: "refuse"; readonly why: string }
  | { readonly kind: "recover-first" };

export function decideBegin({ suspended, ends, isCutOff, lift }: BeginFacts): BeginDecision {
  const isBrink = isCutOff && isToSuspend(ends);
  if (suspended === null && !isBrink) return { kind: "go" };
  if (lift !== null && lift.trim() !== "") return { kind: "lift", reason: lift };
  return suspended === null ? { kind: "recover-first" } : { kind: "refuse", why: suspended };
}
