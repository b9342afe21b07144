/** The third origin's claims where two machines share the state file and not the store: both are told the truth (K1, K5). */
import { describe, expect, it } from "vitest";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import { HEARTBEAT_INTERVAL_MS } from "../../src/model/limits.ts";
import { claimOwner, sessionOwner } from "../../src/workflow/claim-owner.ts";
import { numberOfToken } from "../../src/workflow/claim-token.ts";
import { stepClaimsNow } from "../../src/workflow/claims-now.ts";
import { repairFile } from "../../src/workflow/file-acts.ts";
import { renewSteps } from "../../src/workflow/renew-steps.ts";
import { beat } from "../../src/workflow/step-acts.ts";
import {
  type DriverName,
  docOf,
  edit,
  findingsOf,
  MINUTE_MS,
  movableClock,
  newState,
  step,
  storeOf,
} from "./claim-stores.ts";

const PAIRS: readonly (readonly [DriverName, DriverName])[] = [
  ["SQLite", "SQLite"],
  ["PostgreSQL", "PostgreSQL"],
  ["SQLite", "PostgreSQL"],
];
const START = { kind: "start" } as const;
const SUB = { kind: "sub", name: "phase_1_discovery" } as const;
const DONE = { kind: "done" } as const;

const claimOf = (file: string) => docOf(file).steps["1"].claim;
const heldIn = async (store: RefloatStore, file: string) =>
  (await stepClaimsNow(store.raw, store.raw.clock, [file])).map(({ owner, isHeld, step: of, instead }) => ({
    owner: owner.instance,
    isHeld,
    step: of,
    instead,
  }));

describe.each(PAIRS)("machine A on %s, machine B on %s", (ofA, ofB) => {
  async function taken() {
    const clock = movableClock();
    const [a, b] = [await storeOf(ofA, clock), await storeOf(ofB, clock)];
    const file = await newState(a);
    const byA = await step(a, file, "1", START, { name: "ann" });
    clock.move(6 * MINUTE_MS);
    const byB = await step(b, file, "1", START, { name: "bob" });
    return { clock, a, b, file, byA, byB };
  }

  it("origin 003.4: a session that went stale and was taken over from another store is refused, is not shown the other's token and changes nothing (K1)", async () => {
    const { a, b, file, byA, byB } = await taken();
    expect(byB).toMatchObject({ from: "ann", attempt: 2 });
    expect(claimOf(file).event_log).toMatchObject([
      { type: "stale_recovery", previous_owner: "ann", new_owner: "bob" },
    ]);
    const before = docOf(file);
    const refused = step(a, file, "1", SUB, { name: "ann" });
    await expect(refused).rejects.toMatchObject({ code: "E_STEP_HELD" });
    await expect(refused).rejects.toThrow(/bob: .*by the file's word.*what ann was given here is over/);
    await expect(refused).rejects.not.toThrow(byB.token as string);
    const fenced = step(a, file, "1", DONE, { name: "ann", token: byA.token });
    await expect(fenced).rejects.toMatchObject({ code: "E_STEP_FENCED" });
    await expect(fenced).rejects.toThrow("it is bob's now");
    expect(docOf(file)).toEqual(before);
    await expect(step(b, file, "1", SUB, { name: "bob", token: byB.token })).resolves.toMatchObject({
      attempt: 2,
    });
  });

  it("origin 003.4: both machines say that the second one has it", async () => {
    const { a, b, file } = await taken();
    expect(await heldIn(a, file)).toEqual([{ owner: "bob", isHeld: true, step: "1", instead: "ann" }]);
    expect(await heldIn(b, file)).toEqual([{ owner: "bob", isHeld: true, step: "1", instead: null }]);
    for (const store of [a, b]) expect(await findingsOf(store, file)).toEqual([]);
  });

  it("origin 003.46: a token is its owner's: the same number, and even the same name, in two stores are two tokens", async () => {
    const clock = movableClock();
    const [a, b] = [await storeOf(ofA, clock), await storeOf(ofB, clock)];
    const file = await newState(a);
    const byA = await step(a, file, "1", START, { name: "manual" });
    await expect(step(b, file, "1", SUB, { name: "manual" })).rejects.toMatchObject({ code: "E_STEP_HELD" });
    clock.move(6 * MINUTE_MS);
    const byB = await step(b, file, "1", START, { name: "manual" });
    expect(byB.token).not.toBe(byA.token);
    expect(numberOfToken(byB.token)).toBeGreaterThan(numberOfToken(byA.token) as number);
    await expect(step(a, file, "1", SUB, { name: "manual" })).rejects.toMatchObject({ code: "E_STEP_HELD" });
    expect(claimOf(file).attempt_token).toBe(byB.token);
  });

  it("origin 003.46: whoever shows the claim's token goes on from another store under the same token", async () => {
    const [a, b] = [await storeOf(ofA), await storeOf(ofB)];
    const file = await newState(a);
    const { token } = await step(a, file, "1", START, { name: "ann" });
    const moved = await step(b, file, "1", SUB, { name: "ann", token });
    expect(moved).toMatchObject({ token, from: null });
    expect(claimOf(file)).toMatchObject({ owner_id: "ann", attempt_token: token, event_log: [] });
    await expect(step(a, file, "1", SUB, { name: "ann", token })).resolves.toMatchObject({ token });
  });

  it("origin 003.4: what the second one gave back is free, and the first claims it anew with another token; its old one stays over", async () => {
    const { a, b, file, byA, byB } = await taken();
    await step(b, file, "1", { kind: "reset", reason: "again" }, { name: "bob", token: byB.token });
    await expect(step(a, file, "1", START, { name: "ann", token: byA.token })).rejects.toMatchObject({
      code: "E_STEP_FENCED",
    });
    const again = await step(a, file, "1", START, { name: "ann" });
    expect(again.attempt).toBeGreaterThan(byA.attempt as number);
    expect(again.token).not.toBe(byA.token);
    expect(claimOf(file)).toMatchObject({ owner_id: "ann", attempt_token: again.token });
  });

  it("origin 003.24: when the second one goes stale in turn, the first takes it over from them, on record", async () => {
    const { clock, a, file } = await taken();
    clock.move(6 * MINUTE_MS);
    const again = await step(a, file, "1", START, { name: "ann" });
    expect(again.from).toBe("bob");
    expect(claimOf(file).event_log).toMatchObject([
      { previous_owner: "ann", new_owner: "bob" },
      { type: "stale_recovery", previous_owner: "bob", new_owner: "ann" },
    ]);
  });

  it("origin 003.45: a live session whose step another store took renews nothing of theirs, and hears of it", async () => {
    const clock = movableClock();
    const [a, b] = [await storeOf(ofA, clock), await storeOf(ofB, clock)];
    const file = await newState(a);
    await a.begin({ id: "s1", agent: "t", workspace: "/", captures: "off" });
    await step(a, file, "1", START, { mark: "s1.1.x" });
    clock.move(6 * MINUTE_MS);
    const byB = await step(b, file, "1", START, { name: "bob" });
    clock.move(4 * MINUTE_MS);
    const before = docOf(file);
    expect(await renewSteps(a.raw, sessionOwner("s1", 1))).toEqual([{ file, step: "1", by: "bob" }]);
    expect(docOf(file)).toEqual(before);
    expect(claimOf(file).attempt_token).toBe(byB.token);
  });

  it("origin 003.45: a live session that lost its step to a store whose owner is gone blocks nobody here, and no repair gives it back", async () => {
    const clock = movableClock();
    const [a, b] = [await storeOf(ofA, clock), await storeOf(ofB, clock)];
    const file = await newState(a);
    await a.begin({ id: "s1", agent: "t", workspace: "/", captures: "off" });
    const { token } = await step(a, file, "1", START, { mark: "s1.1.x" });
    clock.move(6 * MINUTE_MS);
    await step(b, file, "1", START, { name: "bob" });
    clock.move(6 * MINUTE_MS);
    await repairFile(a.raw, file);
    expect(claimOf(file)).toMatchObject({ owner_id: null });
    expect(await findingsOf(a, file)).toEqual([]);
    const beating = beat(a.raw, file, "1", sessionOwner("s1", 1));
    await expect(beating).rejects.toMatchObject({ code: "E_STEP_FENCED" });
    expect((await step(a, file, "1", START, { name: "cleo" })).token).not.toBe(token);
    await expect(step(a, file, "1", SUB, { mark: "s1.1.x" })).rejects.toMatchObject({ code: "E_STEP_HELD" });
  });

  it.each([
    ["before the step began", 1000],
    ["before the step began", 6000],
    ["before the step began", 60_000],
    ["while the step was held", 6000],
  ] as const)(
    "origin 003.21: a threshold set %s to %i ms, less than a session's heartbeat needs, makes no live session stale to another store; one that fell silent is taken over (K2)",
    async (when, thresholdMs) => {
      const clock = movableClock();
      const [a, b] = [await storeOf(ofA, clock), await storeOf(ofB, clock)];
      const file = await newState(a);
      const set = () =>
        edit(file, (doc) => {
          doc.stale_threshold_ms = thresholdMs;
        });
      if (when === "before the step began") set();
      await a.begin({ id: "s1", agent: "t", workspace: "/", captures: "off" });
      const { token } = await step(a, file, "1", START, { mark: "s1.1.x" });
      if (when === "while the step was held") {
        clock.move(MINUTE_MS);
        set();
      }
      for (let looks = 0; looks < 3; looks++) {
        // As long as the slowest keeper of a session leaves between two looks.
        clock.move(HEARTBEAT_INTERVAL_MS);
        const refused = step(b, file, "1", START, { name: "bob" });
        await expect(refused).rejects.toMatchObject({ code: "E_STEP_HELD" });
        expect((await findingsOf(b, file)).map(({ rule }) => rule)).not.toContain("stale-claim");
        await repairFile(b.raw, file);
        expect(claimOf(file)).toMatchObject({ owner_id: "s1.1", attempt_token: token, event_log: [] });
        expect(await renewSteps(a.raw, sessionOwner("s1", 1))).toEqual([]);
      }
      clock.move(6 * MINUTE_MS);
      expect((await step(b, file, "1", START, { name: "bob" })).from).toBe("s1.1");
      expect(claimOf(file)).not.toHaveProperty("heartbeat_every_ms");
    },
  );

  it("origin 003.45: `claim keep` beats as often as the threshold needs, however long a pause it was told: nobody takes the step between two beats, from either store (K2)", async () => {
    const clock = movableClock();
    const [a, b] = [await storeOf(ofA, clock), await storeOf(ofB, clock)];
    const file = await newState(a);
    edit(file, (doc) => {
      doc.stale_threshold_ms = 4000;
    });
    await step(a, file, "1", START, { name: "ann" });
    for (let beats = 0; beats < 3; beats++) {
      const kept = await beat(a.raw, file, "1", claimOwner(undefined, "ann"), MINUTE_MS);
      expect(kept.pauseMs).toBeGreaterThan(0);
      clock.move(kept.pauseMs);
      for (const store of [a, b]) {
        const refused = step(store, file, "1", START, { name: "bob" });
        await expect(refused).rejects.toMatchObject({ code: "E_STEP_HELD" });
      }
    }
  });

  it("origin 003.12: neither repair, from either side, frees somebody at work by the file's word (K2)", async () => {
    const { a, b, file, byB } = await taken();
    for (const store of [a, b]) {
      await repairFile(store.raw, file);
      expect(claimOf(file)).toMatchObject({ owner_id: "bob", attempt_token: byB.token });
      expect(docOf(file).lock).toMatchObject({ owner_id: "bob", attempt_token: byB.token });
    }
  });

  it("origin 003.3: a file that was put back to an older version is no other store's word: the store's claim is written down again", async () => {
    const { b, file, byB } = await taken();
    const claim = { ...claimOf(file), owner_id: null, heartbeat: null, attempt_token: null, event_log: [] };
    edit(file, (doc) => {
      doc.steps["1"].claim = claim;
      doc.lock = {};
    });
    expect((await findingsOf(b, file)).map(({ rule }) => rule)).toEqual(["claim-store"]);
    await repairFile(b.raw, file);
    expect(claimOf(file)).toMatchObject({ owner_id: "bob", attempt_token: byB.token });
    expect(await findingsOf(b, file)).toEqual([]);
  });
});
