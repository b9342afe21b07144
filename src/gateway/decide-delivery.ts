/**
 * What to do with an answer that is owed: at least once, and never twice without saying so (T1). Pure.
 *
 * | what is known of earlier sends            | now                                      |
 * |-------------------------------------------|------------------------------------------|
 * | none                                      | send                                     |
 * | begun, nobody saw its end (a crash)       | send, saying it may be a duplicate       |
 * | failed, and it certainly did not arrive   | send again later, plainly                |
 * | failed, and it may have arrived           | send again later, saying so              |
 * | too many that may have arrived, or too old| give up; the answer stays in the journal |
 */
import type { GatewayPolicy } from "./policy.ts";

/** How an earlier send ended: `begun` is one whose end was not recorded. */
export type SendEnd = "begun" | "did-not-arrive" | "may-have-arrived";

export interface OwedFacts {
  readonly owedAtMs: number;
  readonly sends: readonly SendEnd[];
}

export type DeliveryDecision =
  | { readonly kind: "send"; readonly mayBeDuplicate: boolean; readonly afterMs: number }
  | { readonly kind: "abandon"; readonly why: string };

export function decideDelivery(
  facts: OwedFacts,
  nowMs: number,
  policy: Pick<
    GatewayPolicy,
    "deliveryAttempts" | "deliveryMaxAgeMs" | "deliveryBackoffMs" | "deliveryMaxBackoffMs"
  >,
): DeliveryDecision {
  const uncertain = facts.sends.filter((end) => end !== "did-not-arrive").length;
  if (uncertain >= policy.deliveryAttempts) {
    return { kind: "abandon", why: `${uncertain} sends may have arrived and none was confirmed` };
  }
  if (nowMs - facts.owedAtMs > policy.deliveryMaxAgeMs) {
    return { kind: "abandon", why: "it is owed for too long" };
  }
  return { kind: "send", mayBeDuplicate: uncertain > 0, afterMs: backoffMs(facts.sends, policy) };
}

/** After a crash at once: the start itself was the pause. After a failure longer each time. */
function backoffMs(
  sends: readonly SendEnd[],
  policy: Pick<GatewayPolicy, "deliveryBackoffMs" | "deliveryMaxBackoffMs">,
): number {
  const last = sends.at(-1);
  if (last === undefined || last === "begun") return 0;
  return Math.min(policy.deliveryBackoffMs * 2 ** (sends.length - 1), policy.deliveryMaxBackoffMs);
}
