import { expect, test } from "vitest";
import type { Liveness, Owner } from "../model/owner.ts";
import type { ClaimRow } from "../store/contract/driver.ts";
import { decideClaim, isHeartbeatStale } from "./decide-claim.ts";

const NOW = 1_000_000;
const THRESHOLD = 1000;

const owner: Owner = { host: "h", boot: "b", pid_namespace: "n", pid: 7, started: 9, instance: "i" };
const held = (over: Partial<ClaimRow> = {}): ClaimRow => ({
  attempt: 3,
  owner,
  acquiredAtMs: 900,
  heartbeatAtMs: NOW,
  thresholdMs: THRESHOLD,
  ...over,
});

const ALIVE: Liveness = { kind: "alive" };
const ELSEWHERE: Liveness = { kind: "elsewhere", host: "other" };
const stale = { heartbeatAtMs: NOW - THRESHOLD };

test.each<[string, ClaimRow, Liveness | null, object]>([
  [
    "K1: never claimed",
    held({ attempt: 0, owner: null }),
    null,
    { kind: "take", why: "new", from: null, cause: null },
  ],
  ["K1: released", held({ owner: null }), null, { kind: "take", why: "released", from: null, cause: null }],
  ["K2: owner alive here", held(), ALIVE, { kind: "held", by: owner, sinceMs: 900, why: "alive" }],
  // On one host the kernel is asked, not the clock: a process that was stopped for an hour is alive.
  ["K2: owner alive here, heartbeat stale", held(stale), ALIVE, { kind: "held", why: "alive" }],
  [
    "K2: owner alive here, no heartbeat",
    held({ heartbeatAtMs: null }),
    ALIVE,
    { kind: "held", why: "alive" },
  ],
  [
    "K2: owner's process gone",
    held(),
    { kind: "dead", because: "no-such-process" },
    { kind: "take", why: "dead", from: owner, cause: "unknown" },
  ],
  [
    "K2: owner's pid is another process now",
    held(),
    { kind: "dead", because: "pid-reused" },
    { kind: "take", why: "dead", cause: "unknown" },
  ],
  [
    "K2: the machine was started again",
    held(),
    { kind: "dead", because: "reboot" },
    { kind: "take", why: "dead", from: owner, cause: "reboot" },
  ],
  [
    "K2: owner in another pid namespace",
    held(),
    { kind: "unreachable", because: "other-namespace" },
    { kind: "held", why: "unreachable" },
  ],
  [
    "K2: owner in another pid namespace, heartbeat stale",
    held(stale),
    { kind: "unreachable", because: "other-namespace" },
    { kind: "held", why: "unreachable" },
  ],
  [
    "K2: owner cannot be read, no heartbeat",
    held({ heartbeatAtMs: null }),
    { kind: "unreachable", because: "not-readable" },
    { kind: "held", why: "unreachable" },
  ],
  [
    "K2: owner on another host, heartbeat fresh",
    held({ heartbeatAtMs: NOW - THRESHOLD + 1 }),
    ELSEWHERE,
    { kind: "held", by: owner, why: "heartbeat" },
  ],
  [
    "K3: owner on another host, heartbeat exactly at the threshold",
    held(stale),
    ELSEWHERE,
    { kind: "take", why: "lost", from: owner, cause: "lost" },
  ],
  [
    "K3: owner on another host, no heartbeat",
    held({ heartbeatAtMs: null }),
    ELSEWHERE,
    { kind: "take", why: "lost" },
  ],
  [
    "K3: owner on another host, heartbeat a little in the future",
    held({ heartbeatAtMs: NOW + THRESHOLD - 1 }),
    ELSEWHERE,
    { kind: "held", why: "heartbeat" },
  ],
  [
    "K3: owner on another host, heartbeat far in the future",
    held({ heartbeatAtMs: NOW + THRESHOLD }),
    ELSEWHERE,
    { kind: "take", why: "lost" },
  ],
  ["since when is not known", held({ acquiredAtMs: null }), ALIVE, { kind: "held", sinceMs: null }],
])("%s", (_case, claim, liveness, expected) => {
  expect(decideClaim(claim, liveness, NOW)).toMatchObject(expected);
});

test.each<[string, number | null, boolean]>([
  ["missing", null, true],
  ["now", NOW, false],
  ["one millisecond before the threshold", NOW - THRESHOLD + 1, false],
  ["exactly at the threshold", NOW - THRESHOLD, true],
  ["after it", NOW - THRESHOLD - 1, true],
  ["of 1970", 0, true],
  ["in the future, nearer than the threshold", NOW + THRESHOLD - 1, false],
  ["in the future, exactly as far as the threshold", NOW + THRESHOLD, true],
  ["far in the future", Number.MAX_SAFE_INTEGER, true],
])("K3: a heartbeat that is %s has one answer", (_when, at, expected) => {
  expect(isHeartbeatStale(NOW, at, THRESHOLD)).toBe(expected);
});

test("K3: with a threshold of nothing every heartbeat is stale, its own instant included", () => {
  expect(isHeartbeatStale(NOW, NOW, 0)).toBe(true);
});
