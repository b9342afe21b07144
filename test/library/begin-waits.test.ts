/** `begin({ wait, signal })`: a held session is waited for, and the wait can be called off. */
import { expect, test } from "vitest";
import { selfOwner } from "../../src/platform/identity.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";

const ME = { id: "s", agent: "a", workspace: "/w" };

describeOnBoth((make) => {
  test("K1: whoever waits has the session when its holder gives it back, and not before; two who wait have it one after the other", async () => {
    const store = await openedHere(make());
    const first = await store.begin(ME);
    await expect(store.begin(ME)).rejects.toMatchObject({ code: "E_HELD" });
    await expect(store.begin({ ...ME, wait: 20 })).rejects.toMatchObject({ code: "E_HELD" });
    const attempts: number[] = [];
    const waiting = ["b", "c"].map(async (agent) => {
      const session = await store.begin({ ...ME, agent, wait: true });
      attempts.push(session.attempt);
      await session.release();
    });
    await first.turn("hello").then((turn) => turn.end("completed"));
    expect(attempts).toEqual([]);
    await first.release();
    await Promise.all(waiting);
    expect(attempts).toEqual([2, 3]);
  });

  test("a wait that is called off throws AbortError, claims nothing, and leaves the session to its holder", async () => {
    const store = await openedHere(make());
    const first = await store.begin(ME);
    const off = new AbortController();
    const waiting = store.begin({ ...ME, wait: true, signal: off.signal });
    setTimeout(() => off.abort(new Error("enough")), 20);
    await expect(waiting).rejects.toMatchObject({
      name: "AbortError",
      code: "E_ABORTED",
      cause: expect.objectContaining({ message: "enough" }),
    });
    await expect(store.begin({ ...ME, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "E_ABORTED",
    });
    await first.enqueue("still mine");
    expect((await store.session("s"))?.attempt).toBe(1);
    await first.finish();
  });

  test("K2: a holder that died is not waited for longer than it takes to see it", async () => {
    const store = await openedHere(make());
    let isDead = false;
    const owner = { ...selfOwner("other"), instance: "other" };
    const first = await store.begin({ ...ME, owner });
    const liveness = () =>
      isDead ? ({ kind: "dead", because: "no-such-process" } as const) : ({ kind: "alive" } as const);
    const waiting = store.begin({ ...ME, wait: true, liveness });
    await first.enqueue("a sign of life");
    isDead = true;
    expect((await waiting).attempt).toBe(2);
    await expect(first.turn("late")).rejects.toMatchObject({ code: "E_FENCED" });
  });
});
