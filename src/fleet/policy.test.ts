import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { JsonObject } from "../model/json.ts";
import { selfOwner } from "../platform/identity.ts";
import type { SessionState } from "../session/state.ts";
import { isTakenUp, parsePolicy, policySchema, USUAL_POLICY, type WorkerPolicy } from "./policy.ts";

const NOW = 1_000_000_000;

function taken(
  about: {
    state?: SessionState;
    agent?: string;
    cause?: string;
    name?: string;
    ends?: number;
    tries?: number;
    agoMs?: number;
    /** Since the last record; left out: since it was begun. */
    writtenMs?: number;
    /** Since the last heartbeat of one whose holder is gone; left out: it was given back. */
    beatMs?: number;
    facts?: JsonObject;
    isContinued?: boolean;
    isImported?: boolean;
  },
  policy: WorkerPolicy = USUAL_POLICY,
): boolean {
  const { state = "interrupted", agent = "a", name = "n", ends = 0, tries = 1, agoMs = 60_000 } = about;
  const claim = {
    attempt: tries,
    owner: about.beatMs === undefined ? null : selfOwner("test"),
    acquiredAtMs: NOW - agoMs,
    heartbeatAtMs: about.beatMs === undefined ? null : NOW - about.beatMs,
    thresholdMs: 1,
  };
  return isTakenUp(policy, {
    row: {
      ...{ id: "one" as SessionId, head: 1, facts: about.facts ?? {}, claim },
      lastAtMs: NOW - (about.writtenMs ?? agoMs),
    },
    summary: { state, cause: about.cause ?? "crash", agent, name, dirty_ends: ends, last_attempt: tries },
    isContinued: about.isContinued ?? false,
    isImported: about.isImported ?? false,
    nowMs: NOW,
  });
}

describe("what a worker takes up", () => {
  it("is what was cut off; never what lives, ended, is suspended, or goes on in another session (L4)", () => {
    expect(taken({})).toBe(true);
    for (const state of ["live", "finished", "suspended", "idle"] as const)
      expect(taken({ state })).toBe(false);
    expect(taken({ isContinued: true })).toBe(false);
    expect(taken({ isImported: true }), "T2: the user goes on with it first").toBe(false);
    expect(taken({ state: "idle", facts: { queue: "queue-x-5" } }), "an item nobody began").toBe(true);
    expect(taken({ facts: { gateway: "g" } })).toBe(false);
    expect(taken({ facts: { only_heard: true } }), "nobody of ours started it").toBe(false);
  });

  it("is of the agents and names that the policy says, not too old, not begun too often, and rested after a dirty end (L2)", () => {
    const policy = parsePolicy(
      "p",
      '{"agents": ["a"], "names": ["n"], "max_attempts": 3, "max_age": "1h", "backoff": "10s"}',
    );
    expect(taken({}, policy)).toBe(true);
    expect(taken({ agent: "b" }, policy)).toBe(false);
    expect(taken({ name: "m" }, policy)).toBe(false);
    expect(taken({ tries: 3 }, policy)).toBe(false);
    expect(taken({ agoMs: 3_600_001 }, policy)).toBe(false);
    expect([taken({ ends: 1, agoMs: 9999 }, policy), taken({ ends: 1, agoMs: 10_000 }, policy)]).toEqual([
      false,
      true,
    ]);
    expect(taken({ ends: 1, agoMs: 1, cause: "signal" }, policy), "a drain is not its own doing").toBe(true);
    expect([taken({ ends: 2, agoMs: 19_999 }, policy), taken({ ends: 2, agoMs: 20_000 }, policy)]).toEqual([
      false,
      true,
    ]);
  });

  it("rests and ages from its end, not from its beginning: by the last heartbeat, or by what was written last (L2)", () => {
    const policy = parsePolicy("p", '{"max_age": "1h", "backoff": "10s"}');
    const long = { ends: 1, agoMs: 7_200_000 };
    expect(taken({ ...long, beatMs: 9999 }, policy), "it died just now").toBe(false);
    expect(taken({ ...long, beatMs: 10_000 }, policy), "and is not two hours old").toBe(true);
    expect([
      taken({ ...long, writtenMs: 9999 }, policy),
      taken({ ...long, writtenMs: 10_000 }, policy),
    ]).toEqual([false, true]);
    expect(
      taken({ ...long, beatMs: 3_600_001, writtenMs: 10_000 }, policy),
      "others write to the dead, too",
    ).toBe(false);
  });

  it("a policy that says something else than it can is refused with what is wrong, and takes nothing", () => {
    for (const [text, why] of [
      ["{", "JSON"],
      ['{"slots": 3}', "slots"],
      ['{"order": "newest"}', "order"],
      ['{"max_age": "3 days"}', "max_age"],
      ['{"settle": "everything"}', "settle"],
    ] as const) {
      const refused = (): unknown => parsePolicy("worker.json", text);
      expect(refused).toThrow(RefloatError);
      expect(refused).toThrow(why);
    }
    expect(parsePolicy("p", "{}")).toEqual(USUAL_POLICY);
    expect(parsePolicy("p", '{"lost_after": "1ms"}').lostAfterMs, "a heartbeat a second is the fastest").toBe(
      4000,
    );
  });

  it("is described for editors by schemas/worker-policy.json", () => {
    const file = new URL("../../schemas/worker-policy.json", import.meta.url);
    expect(readFileSync(file, "utf8")).toBe(policySchema());
  });
});
