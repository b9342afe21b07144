/** What many want and one gets: the first of several changes that can be made, whole, and no other (driver.ts, K1). */
import { expect, test } from "vitest";
import { selfOwner } from "../../dist/platform/identity.js";
import {
  begun,
  child,
  inputQueued,
  journal,
  type MakePlace,
  newRecord,
  open,
  randomName,
  type SessionId,
  type Store,
  sessionId,
} from "./harness.ts";

const queued = (item: string) =>
  newRecord("item.queued", { item, prompt: item, retries: null }, `added:${item}`);

function candidate(queue: SessionId, item: string, by = randomName()): Parameters<Store["first"]>[0][number] {
  const owner = selfOwner("test");
  const taken = { item, seq: 2, by, host: "here" };
  const began = { agent: "t", workspace: "/w", goal: null, name: null };
  return [
    {
      kind: "append",
      session: queue,
      by: "anyone",
      records: [newRecord("item.taken", taken, `taken:${item}`)],
    },
    {
      kind: "take",
      session: item as SessionId,
      seen: null,
      owner,
      nowMs: 1,
      thresholdMs: 60_000,
      records: [newRecord("session.began", began)],
    },
  ];
}

export function firstLaws(make: MakePlace): void {
  test("the first candidate that nothing speaks against is made whole, and none after it; one that is refused leaves no trace (driver 2)", async () => {
    const store = await open(make());
    const { session } = await begun(store);
    await store.append(session, "anyone", [queued("one"), queued("two")]);
    // The session of the first is there already: taking its item is taken back with it.
    await begun(store, sessionId("one"));
    const made = await store.first([candidate(session, "one"), candidate(session, "two")]);
    expect(made).toMatchObject({ kind: "done", place: 1, outcomes: [{ kind: "done" }, { attempt: 1 }] });
    expect((await store.open(session)).map(({ what, id }) => [what, id])).toEqual([
      ["item", "one"],
      ["taken", "two"],
    ]);
    expect((await store.session(sessionId("two")))?.claim.attempt).toBe(1);
    expect((await journal(store, session)).map(({ kind }) => kind)).toEqual([
      "session.began",
      "item.queued",
      "item.queued",
      "item.taken",
    ]);
    expect(await store.first([candidate(session, "two"), candidate(session, "never")])).toEqual({
      kind: "none",
      isBusy: false,
    });
    expect(await store.session(sessionId("never"))).toBeNull();
    expect(await store.first([])).toEqual({ kind: "none", isBusy: false });
  });

  test("the same candidate sent again is a repeat of the same (D4), another's of the same item is refused (K1)", async () => {
    const store = await open(make());
    const { session } = await begun(store);
    await store.append(session, "anyone", [queued("one"), inputQueued("beside")]);
    const mine = candidate(session, "one", "me");
    const first = await store.first([mine]);
    expect(first).toMatchObject({ kind: "done", place: 0 });
    const again = await store.first([mine]);
    expect(again).toMatchObject({ kind: "done", outcomes: [{ isRepeat: true }, { isRepeat: true }] });
    expect((await store.first([candidate(session, "one", "him")])).kind).toBe("none");
  });

  test("of several processes that take at once each item goes to exactly one, in each in the order they were added", async () => {
    const place = make();
    const store = await open(place);
    const { session } = await begun(store);
    const items = Array.from({ length: 24 }, (_none, i) => `item-${String(i).padStart(2, "0")}`);
    await store.append(session, "anyone", items.map(queued));
    const taker = `
      const queue = ${JSON.stringify(session)};
      const owner = selfOwner("taker");
      const took = [];
      for (;;) {
        const open = await store.open(queue, { what: ["item"], limit: 3 });
        if (open.length === 0) break;
        const made = await store.first(open.map(({ id }) => [
          { kind: "append", session: queue, by: "anyone", records: [record("item.taken", { item: id, seq: 2, by: owner.instance, host: "h" }, "taken:" + id)] },
          { kind: "take", session: id, seen: null, owner, nowMs: 1, thresholdMs: 60000,
            records: [record("session.began", { agent: "t", workspace: "/w", goal: null, name: null })] },
        ]));
        if (made.kind === "done") took.push(open[made.place].id);
      }
      say(took);
      await store.close();`;
    const takers = [0, 1, 2].map(() => child(place, taker));
    const took = await Promise.all(takers.map(async (one) => (await one.said()) as string[]));
    expect(took.flat().toSorted()).toEqual(items);
    for (const mine of took) expect(mine).toEqual(mine.toSorted());
    const order = (await journal(store, session)).filter(({ kind }) => kind === "item.taken");
    expect(order.map(({ body }) => body.item)).toEqual(items);
  });
}
