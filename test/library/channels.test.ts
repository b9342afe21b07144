/** `node:diagnostics_channel`: what is told inside the process, to the byte of what the journal has, and not before it is on disk (T1). */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, it, onTestFinished } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import type { StoredRecord } from "../../src/model/record.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";

function heardOn(name: string): unknown[] {
  const heard: unknown[] = [];
  const take = (message: unknown): void => void heard.push(message);
  subscribe(name, take);
  onTestFinished(() => void unsubscribe(name, take));
  return heard;
}

describeOnBoth((make) => {
  it("gets every record of a session that is begun, worked in and finished, as the journal has it and in its order (D3, T1)", async () => {
    const store = await openedHere(make());
    const records = heardOn("refloat:record") as StoredRecord[];
    const session = await store.begin({ id: "s", agent: "shop", workspace: "w", goal: "sell" });
    const turn = await session.turn("two apples");
    await (await turn.call({ id: "c1", tool: "charge", input: { cents: 300 } })).result("paid");
    await turn.append({ role: "assistant", parts: "Done." });
    await turn.end("completed");
    await session.enqueue("one more", { from: "chat" });
    await session.decide("currency", "EUR", { reason: "asked" });
    await session.finish();
    const journal: StoredRecord[] = [];
    for await (const record of store.raw.journal("s" as SessionId)) journal.push(record);
    const mine = records.filter((record) => record.session === "s");
    expect(mine.toSorted((a, b) => a.seq - b.seq)).toEqual(journal);
    expect(mine.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["claim.taken", "claim.released"]));
  });

  it("says of a session that is begun how it was found, and what a dead attempt left open in it", async () => {
    const store = await openedHere(make());
    const begun = heardOn("refloat:session");
    const session = await store.begin({ id: "s", agent: "shop", workspace: "w" });
    await session.release();
    const again = await store.begin({ id: "s", agent: "shop", workspace: "w" });
    await again.finish();
    const about = { session: "s", agent: "shop", recovered: 0, atMs: expect.any(Number) };
    expect(begun).toEqual([
      { ...about, attempt: 1, state: "live" },
      { ...about, attempt: 2, state: expect.any(String) },
    ]);
  });

  it("is told nothing that was refused: a record whose attempt is over is neither written nor heard of (K1)", async () => {
    const store = await openedHere(make());
    const session = await store.begin({ id: "s", agent: "shop", workspace: "w" });
    await session.finish();
    const records = heardOn("refloat:record");
    await expect(session.decide("late", 1, { reason: "no" })).rejects.toThrow();
    expect(records).toEqual([]);
  });
});
