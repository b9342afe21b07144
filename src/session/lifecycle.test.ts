import { join } from "node:path";
import { expect, test } from "vitest";
import { EVENTS, type LifeEvent, transition, UNBORN } from "../../scripts/docs/session-life.mjs";
import fc from "../../test/support/fast-check.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { SessionId } from "../model/ids.ts";
import { systemClock } from "../platform/clock.ts";
import { selfOwner } from "../platform/identity.ts";
import { openRawStore } from "../store/open-raw-store.ts";
import { newRecord } from "./new-record.ts";
import { lifeOf, nameOf, type SessionLife, type SessionState } from "./state.ts";

const BOOLS = [false, true] as const;
const LIVES: readonly SessionLife[] = BOOLS.flatMap((isHeld) =>
  BOOLS.flatMap((isOpen) =>
    BOOLS.flatMap((isCutOff) =>
      BOOLS.flatMap((isFinished) =>
        BOOLS.map((isSuspended) => ({ isHeld, isOpen, isCutOff, isFinished, isSuspended })),
      ),
    ),
  ),
);

/** The law in words, apart from the code: what each event changes, and in which lives it can happen at all. */
const LAW: Readonly<
  Record<LifeEvent, { can: (life: SessionLife) => boolean; change: Partial<SessionLife> }>
> = {
  taken: { can: () => true, change: { isHeld: true, isFinished: false } },
  opened: { can: ({ isHeld }) => isHeld, change: { isOpen: true } },
  completed: { can: ({ isHeld, isOpen }) => isHeld && isOpen, change: { isOpen: false, isCutOff: false } },
  stopped: { can: ({ isHeld, isOpen }) => isHeld && isOpen, change: { isOpen: false, isCutOff: false } },
  "cut-off": { can: ({ isHeld, isOpen }) => isHeld && isOpen, change: { isOpen: false, isCutOff: true } },
  released: { can: () => true, change: { isHeld: false } },
  finished: { can: ({ isHeld }) => isHeld, change: { isHeld: false, isFinished: true } },
  died: { can: () => true, change: { isHeld: false } },
  suspended: { can: () => true, change: { isSuspended: true } },
  lifted: { can: () => true, change: { isSuspended: false } },
};

test.each(EVENTS.flatMap((event) => LIVES.map((life) => [nameOf(life), event, life] as const)))(
  "L1, L4, L5: a %s session and %s: %o becomes what the law says and nothing else",
  (_state, event, life) => {
    const { can, change } = LAW[event];
    expect(transition(life, event)).toEqual(can(life) ? { ...life, ...change } : life);
  },
);

test.each<[string, readonly LifeEvent[], SessionState]>([
  ["begun", ["taken"], "live"],
  ["begun and at work", ["taken", "opened"], "live"],
  ["L5: dead between turns", ["taken", "opened", "completed", "died"], "idle"],
  ["L1: dead within a turn", ["taken", "opened", "died"], "interrupted"],
  ["closed by recovery", ["taken", "opened", "died", "taken", "cut-off", "released"], "interrupted"],
  ["taken up again", ["taken", "opened", "died", "taken", "cut-off", "opened"], "live"],
  [
    "taken up and completed",
    ["taken", "opened", "died", "taken", "cut-off", "opened", "completed", "released"],
    "idle",
  ],
  ["finished", ["taken", "opened", "completed", "finished"], "finished"],
  ["L4: suspended beats interrupted", ["taken", "opened", "died", "suspended"], "suspended"],
  ["lifted, it is what it was", ["taken", "opened", "died", "suspended", "lifted"], "interrupted"],
  ["suspended while it lives, it lives", ["taken", "opened", "suspended"], "live"],
  ["and is suspended when it dies", ["taken", "opened", "suspended", "died"], "suspended"],
  ["a finished one that is resumed", ["taken", "finished", "taken"], "live"],
])("a session %s is named as DESIGN 9 says", (_what, events, state) => {
  expect(nameOf(events.reduce(transition, UNBORN))).toBe(state);
});

test("nothing that happens makes a held session anything but live, and nobody's lift or order makes a dead one live (K2)", () => {
  for (const life of LIVES) {
    for (const event of EVENTS) {
      const next = transition(life, event);
      if (next.isHeld) expect(nameOf(next)).toBe("live");
      if (!life.isHeld && event !== "taken") expect(next.isHeld).toBe(false);
    }
  }
});

test("D2: the row the store keeps is the life its records make, whatever is done to a session in whatever order", async () => {
  const store = await openRawStore(join(temporaryFolder(), "refloat.db"), { thread: false });
  let n = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...EVENTS), { maxLength: 25 }), async (events) => {
      const session = `s${n++}` as SessionId;
      let life = transition(UNBORN, "taken");
      let [attempt, turn, t] = [1, null as string | null, 0];
      const owner = selfOwner("test");
      const began = { agent: "a", workspace: "/w", goal: null, name: null };
      const taken = (): ReturnType<typeof newRecord> =>
        newRecord(store.clock, "claim.taken", { attempt, owner, why: "new", from: null, reason: null });
      const take = (seen: { attempt: number; holder: string | null } | null) =>
        store.take({
          session,
          seen,
          owner,
          nowMs: systemClock.nowMs(),
          thresholdMs: 1000,
          records: seen ? [taken()] : [newRecord(store.clock, "session.began", began), taken()],
        });
      await take(null);
      for (const event of events) {
        const row = await store.session(session);
        switch (event) {
          case "taken":
            attempt += 1;
            await take({ attempt: attempt - 1, holder: row?.claim.owner?.instance ?? null });
            break;
          case "opened":
            if (!life.isHeld || turn !== null) continue;
            turn = `t${t++}`;
            await store.append(session, { attempt }, [
              newRecord(store.clock, "turn.began", { turn, parts: null, input: null }),
            ]);
            break;
          case "completed":
          case "stopped":
          case "cut-off": {
            if (!life.isHeld || turn === null) continue;
            const outcome = (
              { completed: "completed", stopped: "failed", "cut-off": "interrupted" } as const
            )[event];
            await store.append(session, { attempt }, [
              newRecord(store.clock, "turn.ended", { turn, outcome, reason: null }),
            ]);
            turn = null;
            break;
          }
          case "released":
          case "died":
            // A death leaves no record; what it means for the claim is the kernel's word. Here both give it back.
            if (!life.isHeld) continue;
            await store.release(session, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
            break;
          case "finished":
            if (!life.isHeld) continue;
            await store.release(session, attempt, [
              newRecord(store.clock, "session.finished", { cause: "clean" }),
            ]);
            break;
          case "suspended":
          case "lifted":
            await store.append(session, "anyone", [
              newRecord(store.clock, `session.${event}`, { reason: "r" }),
            ]);
            break;
          default:
            event satisfies never;
        }
        life = transition(life, event);
        const now = await store.session(session);
        if (!now) throw new Error("the session is gone");
        const liveness = now.claim.owner ? ({ kind: "alive" } as const) : null;
        const open = await store.open(session);
        expect(lifeOf({ row: now, open, liveness, nowMs: 0 })).toEqual(life);
      }
    }),
    { numRuns: 40 },
  );
  await store.close();
});
