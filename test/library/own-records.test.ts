/** A caller's own kinds of record (`session.record`, `store.records`): what an adapter keeps beside the conversation. */
import { expect, it } from "vitest";
import type { StoredRecord } from "../../src/model/record.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";

const BEGIN = { id: "own", agent: "shop", workspace: "a name only" };

async function all(records: AsyncIterable<StoredRecord>): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for await (const { body } of records) bodies.push(body);
  return bodies;
}

describeOnBoth((make) => {
  it("are read back by kind, in order and from the end, by whoever holds no claim, and change nothing a model sees", async () => {
    const store = await openedHere(make());
    const session = await store.begin(BEGIN);
    const seqs = [];
    for (let order = 1; order <= 5; order++) seqs.push((await session.record("shop.charged", { order })).seq);
    await session.record("shop.shipped", { order: 1 });

    const charged = { kinds: ["shop.charged"] };
    expect(await all(store.records("own", charged))).toEqual([1, 2, 3, 4, 5].map((order) => ({ order })));
    const back = { ...charged, order: "backward", pageRows: 2 } as const;
    expect(await all(store.records("own", back))).toEqual([5, 4, 3, 2, 1].map((order) => ({ order })));
    const between = { ...back, fromSeq: seqs[1] ?? 0, toSeq: seqs[3] ?? 0 };
    expect(await all(store.records("own", between))).toEqual([4, 3, 2].map((order) => ({ order })));
    expect(session.view("model").items).toEqual([]);
    expect(await all(store.records("nobody", charged))).toEqual([]);
    await session.finish();
  });

  it("are written once for one id (D4), never under another's kind, and not after another took over (K1)", async () => {
    const store = await openedHere(make());
    const session = await store.begin(BEGIN);
    const first = await session.record("shop.charged", { order: 1 }, { id: "charge:1" });
    expect(await session.record("shop.charged", { order: 1 }, { id: "charge:1" })).toEqual(first);
    const reused = session.record("shop.charged", { order: 2 }, { id: "charge:1" });
    await expect(reused).rejects.toMatchObject({ code: "E_ID_REUSED" });
    await expect(session.record("turn.began", {})).rejects.toMatchObject({ code: "E_BAD_RECORD" });
    await session.release();
    await expect(session.record("shop.charged", { order: 3 })).rejects.toMatchObject({ code: "E_FENCED" });
    expect(await all(store.records("own", { kinds: ["shop.charged", "turn.began"] }))).toEqual([
      { order: 1 },
    ]);
  });
});
