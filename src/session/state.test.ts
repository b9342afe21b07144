import { expect, test } from "vitest";
import type { SessionId } from "../model/ids.ts";
import type { JsonObject } from "../model/json.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import type { OpenWhat } from "../model/record.ts";
import type { ClaimRow } from "../store/contract/driver.ts";
import { type SessionState, type StateFacts, stateOf } from "./state.ts";

const owner: Owner = { host: "h", boot: "b", pid_namespace: "n", pid: 7, started: 9, instance: "i" };
const FREE: ClaimRow = { attempt: 1, owner: null, acquiredAtMs: null, heartbeatAtMs: null, thresholdMs: 100 };
const HELD: ClaimRow = { ...FREE, owner, heartbeatAtMs: 1000 };

function facts(claim: ClaimRow, liveness: Liveness | null, known: JsonObject, open: OpenWhat[]): StateFacts {
  return {
    row: { id: "s" as SessionId, head: 9, facts: known, claim },
    open: open.map((what, i) => ({ what, id: String(i), seq: i + 1 })),
    liveness,
    nowMs: 1000,
  };
}

const CLAIMS: Record<string, { claim: ClaimRow; liveness: Liveness | null; isHeld: boolean }> = {
  "nobody holds it": { claim: FREE, liveness: null, isHeld: false },
  "its owner is alive": { claim: HELD, liveness: { kind: "alive" }, isHeld: true },
  "its owner is dead": { claim: HELD, liveness: { kind: "dead", because: "no-such-process" }, isHeld: false },
  "its machine was started again": {
    claim: HELD,
    liveness: { kind: "dead", because: "reboot" },
    isHeld: false,
  },
  "its owner is in another namespace": {
    claim: HELD,
    liveness: { kind: "unreachable", because: "other-namespace" },
    isHeld: true,
  },
  "its owner elsewhere was heard of": {
    claim: HELD,
    liveness: { kind: "elsewhere", host: "o" },
    isHeld: true,
  },
  "its owner elsewhere is silent": {
    claim: { ...HELD, heartbeatAtMs: 0 },
    liveness: { kind: "elsewhere", host: "o" },
    isHeld: false,
  },
};

const ENDS: Record<string, JsonObject> = {
  "it has not ended": { ended_at_ms: null, suspended: null },
  "it ended": { ended_at_ms: 5, suspended: null },
  "it is suspended": { ended_at_ms: null, suspended: "three" },
  "it is suspended without a word": { ended_at_ms: null, suspended: "" },
  "it ended and is suspended": { ended_at_ms: 5, suspended: "three" },
  "its last turn was cut off and settled": { interrupted: "t" },
  "its last turn was cut off, then another one ended well": { interrupted: null },
  "nothing is known of it": {},
};

const OPEN: Record<string, OpenWhat[]> = {
  "nothing is open": [],
  "an input waits": ["input"],
  "an operation is open": ["operation"],
  "a turn is open": ["turn"],
  "a call is open": ["input", "call"],
  "a message is open": ["operation", "message"],
};

/** The law in words, apart from the code: held is live; else suspended, finished, interrupted, idle, in this order. */
function expected(isHeld: boolean, end: JsonObject, open: OpenWhat[]): SessionState {
  if (isHeld) return "live";
  if (typeof end.suspended === "string") return "suspended";
  if (typeof end.ended_at_ms === "number") return "finished";
  const isCutOff = typeof end.interrupted === "string";
  return isCutOff || open.some((what) => ["turn", "call", "message"].includes(what)) ? "interrupted" : "idle";
}

const cases = Object.entries(CLAIMS).flatMap(([who, { claim, liveness, isHeld }]) =>
  Object.entries(ENDS).flatMap(([how, end]) =>
    Object.entries(OPEN).map(
      ([what, open]) =>
        [who, how, what, facts(claim, liveness, end, open), expected(isHeld, end, open)] as const,
    ),
  ),
);

test("L4, L5: every combination of claim, end and what is open has the one state the laws give it", () => {
  const wrong = cases.filter(([, , , given, state]) => stateOf(given) !== state);
  expect(
    wrong.map(([who, how, what, given, state]) => `${who}, ${how}, ${what}: ${stateOf(given)}, not ${state}`),
  ).toEqual([]);
  expect(cases).toHaveLength(7 * 8 * 6);
});

test.each<[string, SessionState, StateFacts]>([
  ["L4: suspended beats interrupted", "suspended", facts(FREE, null, { suspended: "r" }, ["turn"])],
  ["L5: idle is not interrupted, though an input waits", "idle", facts(FREE, null, {}, ["input"])],
  [
    "K2: an owner that cannot be reached is live, never dead",
    "live",
    facts(HELD, { kind: "unreachable", because: "not-readable" }, {}, ["turn"]),
  ],
  [
    "L1: a turn left open by a dead owner is interrupted, however long ago",
    "interrupted",
    facts({ ...HELD, heartbeatAtMs: 1 }, { kind: "dead", because: "reboot" }, {}, ["turn"]),
  ],
  [
    "a finished session stays finished though its claim was never given back",
    "finished",
    facts(HELD, { kind: "dead", because: "no-such-process" }, { ended_at_ms: 5 }, []),
  ],
])("%s", (_law, state, given) => {
  expect(stateOf(given)).toBe(state);
});
