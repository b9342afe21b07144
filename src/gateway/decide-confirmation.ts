/**
 * Whether a confirmation counts. Only when the question is open, was asked by this very instance not long ago,
 * and this turn's own input answers it: a "yes" found in the history after a restart is void and must be asked
 * anew, or an old "confirm reboot" is obeyed twice. Pure.
 */
import type { GatewayPolicy } from "./policy.ts";

export interface ConfirmationFacts {
  /** The open question with this key; null: it was never asked, or already used. */
  readonly asked: { readonly atMs: number; readonly instance: string } | null;
  readonly instance: string;
  /** This turn's input names the key, and the turn is not a resumed one. */
  readonly isAnsweredNow: boolean;
}

export type ConfirmationDecision =
  | { readonly kind: "granted" }
  | { readonly kind: "ask"; readonly why: "never-asked" | "not-answered" | "restarted" | "too-old" };

export function decideConfirmation(
  facts: ConfirmationFacts,
  nowMs: number,
  policy: Pick<GatewayPolicy, "confirmationMs">,
): ConfirmationDecision {
  const { asked } = facts;
  if (asked === null) return { kind: "ask", why: "never-asked" };
  if (asked.instance !== facts.instance) return { kind: "ask", why: "restarted" };
  // Either direction: a clock that was set back does not lengthen a confirmation's life.
  if (Math.abs(nowMs - asked.atMs) > policy.confirmationMs) return { kind: "ask", why: "too-old" };
  return facts.isAnsweredNow ? { kind: "granted" } : { kind: "ask", why: "not-answered" };
}
