/**
 * K3: one answer for every heartbeat, wherever it is asked. A heartbeat is judged only between hosts; on one
 * host the kernel is asked instead (K2). Missing counts as stale; exactly at the threshold counts as stale;
 * one from the future is as far away as one from the past, so a clock set back cannot hold a claim for ever.
 */
export function isHeartbeatStale(nowMs: number, heartbeatAtMs: number | null, thresholdMs: number): boolean {
  if (heartbeatAtMs === null) return true;
  return Math.abs(nowMs - heartbeatAtMs) >= thresholdMs;
}
