/** `session.fork`: a copy of a conversation up to a record, whole or not at all; the parent is as it was (D2). */
import { expect, test } from "vitest";
import { forkSession } from "../../src/conversation/fork.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { takeClaim } from "../../src/session/claims.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { checkStore } from "../../src/store/check.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";

async function all<T>(stream: AsyncGenerator<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of stream) found.push(one);
  return found;
}

const ME = { agent: "a", workspace: "/w" };

describeOnBoth((make) => {
  test("D2: the fork shows what the parent showed at that record and goes on by itself; neither sees the other's later words", async () => {
    const store = await openedHere(make());
    const parent = await store.begin({ id: "parent", name: "mine", ...ME });
    const { hash } = await store.putContent(Buffer.from("a picture"));
    const turn = await parent.turn("first");
    await turn.append({ role: "assistant", parts: "one" });
    const call = await turn.call({ tool: "bash", input: { command: "ls" } });
    await call.result("files");
    await parent.record("t.kept", { hash, large: "x".repeat(300_000) }, { contents: [hash] });
    await turn.end("completed");
    const waiting = await parent.enqueue("still waits");
    const at = parent.head;
    const before = parent.view("model").items;
    await parent.turn(waiting).then((next) => next.end("completed"));
    const fork = await parent.fork(at, { id: "fork" });
    expect(await parent.fork(at, { id: "fork" })).toEqual(fork);
    const child = await store.begin({ id: fork.id, ...ME });
    expect(child.view("model").items).toEqual(before);
    expect(await child.queue()).toEqual([]); // the parent's to answer
    expect(child.dirtyEnds).toBe(0);
    expect(child.attempt).toBe(2);
    const [kept] = await all(child.records("t.kept"));
    expect(kept?.body).toMatchObject({ hash });
    await child.turn("another way").then((next) => next.end("completed"));
    expect(JSON.stringify(parent.view("people"))).not.toContain("another way");
    expect(JSON.stringify(child.view("people"))).not.toContain("still waits");
    expect(await store.session("fork")).toMatchObject({
      name: null,
      forked_from: { session: "parent", at_seq: at },
      unsettled: false,
    });
    await parent.finish();
    await store.delete("parent");
    // Both named the content: the fork's is there still.
    expect(Buffer.concat(await all(store.readContent(hash))).toString()).toBe("a picture");
    expect((await checkStore(store.raw)).damage).toEqual([]);
    await child.finish();
  });

  test("C4, L2: what was open at the record is closed in the fork as interrupted, and is no dirty end; the parent goes on with it", async () => {
    const store = await openedHere(make());
    const parent = await store.begin({ id: "parent", ...ME });
    const turn = await parent.turn("go");
    const call = await turn.call({ tool: "deploy", input: {} });
    const { id } = await parent.fork();
    const child = await store.begin({ id, ...ME });
    expect([child.state, child.dirtyEnds]).toEqual(["interrupted", 0]);
    expect(child.wasOpen).toMatchObject({ calls: [call.id], turns: [turn.id] });
    expect(child.view("model").items.at(-1)).toMatchObject({
      result: { status: "unknown-outcome", isSynthetic: true },
    });
    await call.result("done");
    await turn.end("completed");
    await child.finish();
    await parent.finish();
  });

  test("a record that is none of the session's is refused, and so is an id that is another's; nothing is left of it", async () => {
    const store = await openedHere(make());
    const parent = await store.begin({ id: "parent", ...ME });
    await parent.enqueue("x");
    for (const at of [0, -1, 1.5, parent.head + 1])
      await expect(parent.fork(at, { id: "fork" })).rejects.toMatchObject({ code: "E_USAGE" });
    const other = await store.begin({ id: "other", ...ME });
    await expect(parent.fork(2, { id: "other" })).rejects.toMatchObject({
      code: expect.stringMatching(/^E_H/),
    });
    expect(await store.session("fork")).toBeNull();
    await Promise.all([parent.finish(), other.finish()]);
  });

  test("K1: the fork of an item's session is no item's, and of no gateway: no worker does the parent's work again", async () => {
    const { raw } = await openedHere(make());
    const [parent, child] = ["parent", "fork"] as SessionId[] as [SessionId, SessionId];
    const bound = { queue: "queue-x-5", item_seq: 1, gateway: "g", supervised: true };
    const began = newRecord(raw.clock, "session.began", { ...ME, goal: "do it", name: null, ...bound });
    await takeClaim(raw, { session: parent, owner: selfOwner("test"), records: () => [began] });
    await forkSession(raw, parent, 1, { id: child });
    const [copied] = await raw.records({ session: child, kinds: ["session.began"] });
    expect(copied?.body).toEqual({ ...ME, goal: "do it", name: null });
    const facts = [(await raw.session(parent))?.facts, (await raw.session(child))?.facts];
    expect(facts.map((one) => [one?.queue, one?.item_seq, one?.gateway])).toEqual([
      ["queue-x-5", 1, "g"],
      [undefined, undefined, undefined],
    ]);
    expect((await checkStore(raw)).damage).toEqual([]);
  });
});
