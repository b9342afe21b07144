/** The third origin's lock and claims in one store: who is at work is never called stale, and whoever is gone makes way (K2 to K5). */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { identityOf } from "../../src/workflow/claim-ids.ts";
import { sessionOwner } from "../../src/workflow/claim-owner.ts";
import { repairFile } from "../../src/workflow/file-acts.ts";
import { renewOwnSteps, renewSteps } from "../../src/workflow/renew-steps.ts";
import { keptVersions } from "../../src/workflow/state-journal.ts";
import { sample } from "../workflow/samples.ts";
import {
  DRIVER_NAMES,
  docOf,
  edit,
  findingsOf,
  MINUTE_MS,
  movableClock,
  newState,
  step,
  storeOf,
} from "./claim-stores.ts";

const START = { kind: "start" } as const;
const SUB = { kind: "sub", name: "phase_1_discovery" } as const;
const DONE = { kind: "done" } as const;
const MARK = "s1.1.x";
const claimOf = (file: string) => docOf(file).steps["1"].claim;
const rulesOf = async (...about: Parameters<typeof findingsOf>): Promise<string[]> =>
  (await findingsOf(...about)).map(({ rule }) => rule);

describe.each(DRIVER_NAMES)("on %s", (driver) => {
  /** A session of this very process that holds step 1. */
  async function live() {
    const clock = movableClock();
    const store = await storeOf(driver, clock);
    const file = await newState(store);
    const session = await store.begin({ id: "s1", agent: "t", workspace: "/", captures: "off" });
    const { token } = await step(store, file, "1", START, { mark: MARK });
    return { clock, store, file, session, token };
  }

  it("origin 003.10: a live session is never called stale, however old the heartbeat in the file is; no repair frees it, and its token goes on (K2)", async () => {
    const { clock, store, file, token } = await live();
    clock.move(60 * MINUTE_MS);
    expect(await findingsOf(store, file)).toEqual([]);
    const before = docOf(file);
    expect((await repairFile(store.raw, file)).changes).toEqual([]);
    expect(docOf(file)).toEqual(before);
    await expect(step(store, file, "1", START, { name: "b" })).rejects.toMatchObject({ code: "E_STEP_HELD" });
    await expect(step(store, file, "1", SUB, { mark: MARK, token })).resolves.toMatchObject({ token });
    expect(claimOf(file).event_log).toEqual([]);
  });

  it("origin 003.10: a session that is gone is stale at once, however fresh the heartbeat in the file is", async () => {
    const { store, file, session } = await live();
    await session.release();
    expect(await findingsOf(store, file)).toMatchObject([
      { rule: "stale-claim", path: "lock" },
      {
        rule: "stale-claim",
        message: "The claim on step 1 is s1.1's, who is gone: the next one may take it.",
      },
    ]);
    await repairFile(store.raw, file);
    expect(claimOf(file)).toMatchObject({
      owner_id: null,
      event_log: [{ type: "stale_sweep", owner_id: "s1.1" }],
    });
    expect(await findingsOf(store, file)).toEqual([]);
  });

  it("origin 003.22: an owner by name is as fresh as the heartbeat the store has, whatever an edit says in the file (K3)", async () => {
    const clock = movableClock();
    const store = await storeOf(driver, clock);
    const file = await newState(store);
    await step(store, file, "1", START, { name: "ann" });
    edit(file, (doc) => {
      doc.steps["1"].claim.heartbeat = doc.lock.heartbeat = "2020-01-01T00:00:00Z";
    });
    expect(await findingsOf(store, file)).toEqual([]);
    await repairFile(store.raw, file);
    expect(claimOf(file).owner_id).toBe("ann");
    clock.move(5 * MINUTE_MS);
    expect(await rulesOf(store, file)).toEqual(["stale-claim", "stale-claim"]);
  });

  it("origin 003.45: the heartbeat in the file is renewed by a timer while a session holds the step, a quarter of the threshold apart; no version, no backup and no edit comes of it (T5)", async () => {
    const { clock, store, file, token } = await live();
    const owner = sessionOwner("s1", 1);
    const folder = () => readdirSync(dirname(file)).sort();
    const whats = async () =>
      (await keptVersions(store.raw, identityOf(file).session)).map(({ what }) => what);
    const [names, versions] = [folder(), await whats()];
    const beats = new Set<string>([claimOf(file).heartbeat]);
    let writes = 0;
    for (let i = 0; i < 30; i++) {
      clock.move(MINUTE_MS / 2);
      const before = readFileSync(file, "utf8");
      expect(await renewSteps(store.raw, owner)).toEqual([]);
      if (readFileSync(file, "utf8") !== before) writes++;
      beats.add(claimOf(file).heartbeat);
      const { heartbeat } = claimOf(file);
      expect(clock.nowMs() - Date.parse(heartbeat)).toBeLessThan(5 * MINUTE_MS);
      expect(docOf(file).lock).toMatchObject({ heartbeat, attempt_token: token });
    }
    // A quarter of an hour by looks of half a minute: one write for each 75 seconds at most.
    expect(writes).toBe(beats.size - 1);
    expect(writes).toBeGreaterThanOrEqual(3);
    expect(writes).toBeLessThanOrEqual(12);
    expect(folder()).toEqual(names);
    expect(await whats()).toEqual(versions);
    await step(store, file, "1", SUB, { mark: MARK, token });
    expect(await whats()).toEqual(["step sub", ...versions]);
    expect(await findingsOf(store, file)).toEqual([]);
  });

  it("origin 003.45: a session that is over renews nothing; the sessions of a process are all looked after", async () => {
    const { clock, store, file, session } = await live();
    clock.move(2 * MINUTE_MS);
    const before = claimOf(file).heartbeat;
    await renewOwnSteps(store.raw);
    const { heartbeat } = claimOf(file);
    expect(heartbeat).not.toBe(before);
    await session.release();
    clock.move(2 * MINUTE_MS);
    await renewOwnSteps(store.raw);
    expect(await renewSteps(store.raw, sessionOwner("s1", 1))).toEqual([]);
    expect(claimOf(file).heartbeat).toBe(heartbeat);
  });

  it("origin 003.45: a state file that is broken keeps no heartbeat from the others of the session, and is told of; a name that reads like the session is not it (K2)", async () => {
    const { clock, store, file: broken } = await live();
    const file = await newState(store);
    await step(store, file, "1", START, { mark: MARK });
    const third = await newState(store);
    await step(store, third, "1", START, { name: "s1.1" });
    edit(broken, (doc) => {
      doc.current_step = "nine";
    });
    clock.move(2 * MINUTE_MS);
    const before = claimOf(file).heartbeat;
    const troubles: Error[] = [];
    await renewSteps(store.raw, sessionOwner("s1", 1), (error) => troubles.push(error));
    expect(troubles).toMatchObject([{ code: "E_STATE_DAMAGED" }]);
    const { heartbeat } = claimOf(file);
    expect(heartbeat).not.toBe(before);
    clock.move(2 * MINUTE_MS);
    await renewOwnSteps(store.raw, (error) => troubles.push(error));
    expect(troubles).toHaveLength(2);
    expect(claimOf(file).heartbeat).not.toBe(heartbeat);
  });

  it.each([
    ["4 minutes old", 4, undefined, true],
    ["6 minutes old", 6, undefined, false],
    ["exactly at the threshold", 5, undefined, false],
    ["4 minutes in the future", -4, undefined, true],
    ["6 minutes in the future", -6, undefined, false],
    ["missing", null, undefined, false],
    ["half a minute old, threshold 60 s", 0.5, 60_000, true],
    ["2 minutes old, threshold 60 s", 2, 60_000, false],
    ["50 minutes old, threshold 1 h", 50, 3_600_000, true],
  ] as const)(
    "origin 003.21: a stranger's heartbeat %s: claim, repair and validator give one answer (K3)",
    async (_name, minutes, threshold, isHonoured) => {
      const clock = movableClock();
      const stands = { ...clock, nowMs: () => 1_800_000_000_000 };
      const store = await storeOf(driver, stands);
      const file = await newState(store);
      const at = minutes === null ? null : new Date(1_800_000_000_000 - minutes * MINUTE_MS).toISOString();
      edit(file, (doc) => {
        if (threshold !== undefined) doc.stale_threshold_ms = threshold;
        doc.steps["1"].claim = { ...doc.steps["1"].claim, owner_id: "stranger", heartbeat: at };
        doc.lock = { owner_id: "stranger", heartbeat: at, attempt_token: null, acquired: at };
      });
      expect((await rulesOf(store, file)).includes("stale-claim")).toBe(!isHonoured);
      const text = readFileSync(file, "utf8");
      await repairFile(store.raw, file);
      expect(claimOf(file).owner_id).toBe(isHonoured ? "stranger" : null);
      writeFileSync(file, text);
      const taking = step(store, file, "1", START, { name: "ann" });
      if (isHonoured) await expect(taking).rejects.toMatchObject({ code: "E_STEP_HELD" });
      else expect((await taking).from).toBe("stranger");
    },
  );

  it("origin 003.11: a claim that only the file knew is taken over when it is stale: said in the event log, and to whoever asks the store (K4)", async () => {
    const store = await storeOf(driver);
    const file = await newState(store);
    const token = "3f0e9a10-7c1d-4a5e-9b11-0123456789ab";
    const stale = { owner_id: "stranger", heartbeat: "2020-01-01T00:00:00Z", attempt_token: token };
    edit(file, (doc) => {
      doc.steps["1"].claim = { ...doc.steps["1"].claim, ...stale };
    });
    const { from } = await step(store, file, "1", START, { name: "ann" });
    expect(from).toBe("stranger");
    expect(claimOf(file).event_log).toMatchObject([
      { type: "stale_recovery", previous_owner: "stranger", new_owner: "ann" },
    ]);
    const taken = await store.raw.records({
      session: identityOf(file).stepSession("1"),
      kinds: ["claim.taken"],
    });
    expect(taken.map(({ body }) => body)).toMatchObject([
      { owner: { instance: "stranger" }, token, reason: "the state file says so" },
      { owner: { instance: "ann" }, why: "lost", from: { instance: "stranger" } },
    ]);
  });

  it("origin 003.11: so is a lock without a claim, by whoever starts a step", async () => {
    const store = await storeOf(driver);
    const file = await newState(store);
    edit(file, (doc) => {
      doc.lock = {
        owner_id: "stranger",
        heartbeat: "2020-01-01T00:00:00Z",
        attempt_token: null,
        acquired: null,
      };
    });
    expect((await step(store, file, "2", START, { name: "ann" })).from).toBe("stranger");
    expect(docOf(file).steps["2"].claim.event_log).toMatchObject([{ previous_owner: "stranger" }]);
    expect(docOf(file).lock.owner_id).toBe("ann");
  });

  it("origin 003.24: after the lock was cleared by hand, its owner goes on under the same token, which the lock shows again; others are refused as before", async () => {
    const store = await storeOf(driver);
    const file = await newState(store);
    const { token } = await step(store, file, "1", START, { name: "ann" });
    edit(file, (doc) => {
      doc.lock = {};
    });
    await expect(step(store, file, "1", START, { name: "bob" })).rejects.toMatchObject({
      code: "E_STEP_HELD",
    });
    expect(await step(store, file, "1", SUB, { name: "ann", token })).toMatchObject({ token });
    expect(docOf(file).lock).toMatchObject({ owner_id: "ann", attempt_token: token });
  });

  it("origin 003.24: a lock that somebody left behind is taken over by whoever has the step, without a new claim, and takes the step from nobody", async () => {
    const store = await storeOf(driver);
    const file = await newState(store);
    const { token, attempt } = await step(store, file, "1", START, { name: "ann" });
    edit(file, (doc) => {
      doc.lock = { owner_id: "gone", heartbeat: null, attempt_token: null, acquired: null };
    });
    await expect(step(store, file, "1", START, { name: "bob" })).rejects.toThrow("held by ann");
    expect(await step(store, file, "1", SUB, { name: "ann", token })).toMatchObject({ token, attempt });
    expect(docOf(file).lock).toMatchObject({ owner_id: "ann", attempt_token: token });
  });

  it("origin 003.3: of eight who start one step at once, one has it and seven are refused (K1)", async () => {
    const store = await storeOf(driver);
    const file = await newState(store);
    const names = Array.from({ length: 8 }, (_, i) => `p${i}`);
    const ends = await Promise.allSettled(names.map((name) => step(store, file, "1", START, { name })));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const codes = ends.flatMap((end) => (end.status === "rejected" ? [end.reason.code] : []));
    expect(codes).toEqual(Array.from({ length: 7 }, () => "E_STEP_HELD"));
  });

  it("origin 003.46: the token of an owner from whom it was taken is refused for good, under the same name, too", async () => {
    const clock = movableClock();
    const store = await storeOf(driver, clock);
    const file = await newState(store);
    const first = await step(store, file, "1", START, { name: "ann" });
    clock.move(6 * MINUTE_MS);
    await step(store, file, "1", START, { name: "bob" });
    clock.move(6 * MINUTE_MS);
    const again = await step(store, file, "1", START, { name: "ann" });
    const fenced = step(store, file, "1", DONE, { name: "ann", token: first.token });
    await expect(fenced).rejects.toMatchObject({ code: "E_STEP_FENCED" });
    await expect(step(store, file, "1", DONE, { name: "ann", token: again.token })).resolves.toMatchObject({
      status: "complete",
    });
  });

  it("origin 003.29: a 2.0 file without its lock, or with a step without its claim, is said and mended", async () => {
    const store = await storeOf(driver);
    const file = await newState(store);
    edit(file, (doc) => {
      delete doc.lock;
      delete doc.steps["2"].claim;
    });
    expect(await rulesOf(store, file)).toEqual(["no-lock", "no-claim"]);
    await repairFile(store.raw, file);
    expect(await findingsOf(store, file)).toEqual([]);
    expect(docOf(file).steps["2"].claim).toMatchObject({ owner_id: null, retry_count: 0, event_log: [] });
  });

  it("origin 003.30: a claimed step shows owner, heartbeat and attempt_token, and so does the lock; origin 003.31: a 1.0 file gets them when it is used", async () => {
    const store = await storeOf(driver);
    const file = await newState(store);
    writeFileSync(file, sample("v1.0-template").text);
    const { token } = await step(store, file, "1", START, { name: "ann" });
    const shown = { owner_id: "ann", attempt_token: token, heartbeat: expect.any(String) };
    expect(docOf(file)).toMatchObject({
      schema_version: "2.0",
      lock: { ...shown, acquired: shown.heartbeat },
    });
    expect(claimOf(file)).toMatchObject({ ...shown, retry_count: 0, event_log: [] });
    expect(docOf(file).steps["2"].claim).toMatchObject({ owner_id: null, attempt_token: null });
  });
});
