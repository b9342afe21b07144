/** What a worker may begin next, against a real store: nothing stands in the way of what waits, and nothing stays reserved or taken for nobody. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { openedHere } from "../../../test/support/both-stores.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { USUAL_POLICY, type WorkerPolicy } from "../../fleet/policy.ts";
import { addItem, cancelWaiting } from "../../fleet/queue.ts";
import { queuesOf, type RepositoryId } from "../../fleet/queue-place.ts";
import { type QueueItem, readItems } from "../../fleet/read-queue.ts";
import { takeItem } from "../../fleet/take-item.ts";
import { tendQueues } from "../../fleet/tend-queue.ts";
import { RESUMING_PREFIX, type SessionId } from "../../model/ids.ts";
import { selfOwner } from "../../platform/identity.ts";
import { newRecord } from "../../session/new-record.ts";
import { checkStore } from "../../store/check.ts";
import { forget } from "../../store/forget.ts";
import { findWork } from "./find-work.ts";
import type { WorkerSetting } from "./worker-order.ts";

const REPOSITORY = "0123456789abcdef01234567" as RepositoryId;
const ALL = { waiting: 100, deferred: 100, taken: 100, ended: 100 };

async function fleetHere() {
  const store = await openedHere({ url: join(temporaryFolder(), "refloat.db"), open: {} });
  const { raw } = store;
  const owner = selfOwner("test");
  const order = { ...{ repository: REPOSITORY, name: "app", priority: 5 }, notBeforeMs: null, after: null };
  return {
    raw,
    add: async (prompt: string, notBeforeMs: number | null = null): Promise<SessionId> =>
      (await addItem(raw, { ...order, prompt, notBeforeMs, retries: null })).id,
    take: async () =>
      takeItem(raw, await queuesOf(raw, null), owner, () => ({ agent: "a", workspace: "/w", name: null })),
    release: (session: SessionId, finished: boolean) =>
      raw.release(session, 1, [
        ...(finished ? [newRecord(raw.clock, "session.finished", { cause: "clean" })] : []),
        newRecord(raw.clock, "claim.released", { attempt: 1 }),
      ]),
    items: async () => readItems(raw, await queuesOf(raw, null), ALL),
    find: (policy: Partial<WorkerPolicy> = {}) =>
      findWork(
        {
          ...{ store, owner, repositories: [{ id: REPOSITORY }] },
          order: { policy: { ...USUAL_POLICY, takesQueue: false, ...policy } },
        } as unknown as WorkerSetting,
        new Set(),
      ),
  };
}

it("D2: what was forgotten stands before nobody: it can be cancelled by name, else fails by itself, and what waits behind it is taken", async () => {
  const { raw, add, take, release, items } = await fleetHere();
  const begun = await add("begun");
  await take();
  await release(begun, true);
  const gone: SessionId[] = [];
  for (let n = 0; n < 6; n++) gone.push(await add(`gone ${n}`));
  const later = await add("later", raw.clock.nowMs() + 3_600_000);
  const beforeMs = raw.clock.nowMs() + 1;
  await raw.clock.sleep(2);
  const whole = await add("whole");
  await forget(raw, { beforeMs });
  const waiting = (await items()).filter(({ state }) => state === "waiting");
  expect(waiting.map(({ id, prompt }) => [id, prompt])).toEqual([
    ...gone.map((id) => [id, null]),
    [whole, "whole"],
  ]);
  expect(await cancelWaiting(raw, waiting[1] as QueueItem, "no need")).toBe(true);
  expect((await take())?.session).toBe(whole);
  expect(await take()).toBeNull();
  await tendQueues(raw, await queuesOf(raw, null));
  const ends = new Map((await items()).map(({ id, state, why }) => [id, [state, why]]));
  const failed = ["failed", "its prompt was forgotten or is damaged"];
  expect([ends.get(gone[0] as SessionId), ends.get(later)]).toEqual([failed, failed]);
  expect(ends.get(gone[1] as SessionId)?.[0]).toBe("cancelled");
  expect(ends.get(begun)?.[0], "what it was is forgotten, not that it is over").toBe("failed");
  expect((await checkStore(raw)).damage).toEqual([]);
});

it("a session that was reserved when the store failed is free again for others (K1)", async () => {
  const { raw, add, take, release, find } = await fleetHere();
  const item = await add("one");
  await take();
  await release(item, false);
  const { session } = raw;
  raw.session = (id) => (id === item ? Promise.reject(new Error("away")) : session.call(raw, id));
  await expect(find()).rejects.toThrow("away");
  raw.session = session;
  const [reservation] = await raw.sessions({ prefix: RESUMING_PREFIX });
  expect(reservation?.claim.owner).toBeNull();
  const found = await find();
  expect(found).toMatchObject({ kind: "resumed", row: { id: item } });
  if (found?.kind === "resumed") await found.reservation.release();
});

it("what another session took up is nobody's to go on with, though that one has ended", async () => {
  const { raw, add, take, release, find } = await fleetHere();
  const item = await add("one");
  await take();
  await release(item, false);
  const next = "next" as SessionId;
  const owner = selfOwner("test");
  const began = { agent: "a", workspace: "/w", goal: null, name: null, continues: item };
  const claim = { attempt: 1, owner, why: "new", from: null, reason: null } as const;
  await raw.take({
    ...{ session: next, seen: null, owner, nowMs: raw.clock.nowMs(), thresholdMs: 1 },
    records: [newRecord(raw.clock, "session.began", began), newRecord(raw.clock, "claim.taken", claim)],
  });
  await release(next, true);
  expect(await find()).toBeNull();
});

it("L2: an item that could not be begun as often as the policy tries fails and says so; before that it is tried again", async () => {
  const { raw, add, take, release, find, items } = await fleetHere();
  const item = await add("one");
  await take();
  await release(item, false);
  expect(await find({ maxAttempts: 1, agents: ["another's"] }), "not its business").toBeNull();
  expect(await items()).toMatchObject([{ state: "taken" }]);
  expect(await find({ maxAttempts: 1 })).toBeNull();
  expect(await items()).toMatchObject([
    { id: item, state: "failed", why: "its agent could not be started, once" },
  ]);
  expect((await raw.session(item))?.facts.ended_at_ms).toEqual(expect.any(Number));
  expect((await checkStore(raw)).damage).toEqual([]);
});
