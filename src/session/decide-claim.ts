/** Whether a claim may be taken, and why: pure, so that every case is a row of a table in its test (K1 to K4). */
import type { Liveness, Owner } from "../model/owner.ts";
import type { ClaimRow } from "../store/contract/driver.ts";

export type ClaimDecision =
  | {
      readonly kind: "take";
      readonly why: "new" | "released" | "dead" | "lost";
      readonly from: Owner | null;
      readonly cause: EndCause | null;
    }
  | {
      readonly kind: "held";
      readonly by: Owner;
      readonly sinceMs: number | null;
      readonly why: "alive" | "unreachable" | "heartbeat";
    };

/** How the earlier owner ended, as far as its absence tells. */
export type EndCause = "reboot" | "lost" | "unknown";

export function decideClaim(claim: ClaimRow, liveness: Liveness | null, nowMs: number): ClaimDecision {
  if (!claim.owner || !liveness) {
    return { kind: "take", why: claim.attempt === 0 ? "new" : "released", from: null, cause: null };
  }
  const held = (why: "alive" | "unreachable" | "heartbeat"): ClaimDecision => ({
    kind: "held",
    by: claim.owner as Owner,
    sinceMs: claim.acquiredAtMs,
    why,
  });
  switch (liveness.kind) {
    case "alive":
      return held("alive");
    case "unreachable":
      // Another pid namespace on the same boot: never dead, whatever its heartbeat says (K2).
      return held("unreachable");
    case "dead":
      return {
        kind: "take",
        why: "dead",
        from: claim.owner,
        cause: liveness.because === "reboot" ? "reboot" : "unknown",
      };
    case "elsewhere":
      if (!isHeartbeatStale(nowMs, claim.heartbeatAtMs, claim.thresholdMs)) return held("heartbeat");
      return { kind: "take", why: "lost", from: claim.owner, cause: "lost" };
    default:
      return liveness satisfies never;
  }
}

/**
 * K3: one answer for every heartbeat, wherever it is asked. A heartbeat is judged only between hosts; on one
 * host the kernel is asked instead (K2). Missing counts as stale; exactly at the threshold counts as stale;
 * one from the future is as far away as one from the past, so a clock set back cannot hold a claim for ever.
 */
export function isHeartbeatStale(nowMs: number, heartbeatAtMs: number | null, thresholdMs: number): boolean {
  if (heartbeatAtMs === null) return true;
  return Math.abs(nowMs - heartbeatAtMs) >= thresholdMs;
}
