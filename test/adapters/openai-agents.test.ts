/** `refloat/openai-agents` beside the framework's own session in memory: whatever is done to both, they say the same. */
import { join } from "node:path";
import { type AgentInputItem, MemorySession } from "@openai/agents-core";
import { expect, it } from "vitest";
import { RefloatSession } from "../../src/adapters/openai-agents.ts";
import { openStore } from "../../src/app/store/open-store.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";
import fc from "../support/fast-check.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const said = (text: string): AgentInputItem => ({ type: "message", role: "user", content: text });
const called = (callId: string, name = "charge"): AgentInputItem => ({
  type: "function_call",
  callId,
  name,
  arguments: "{}",
  status: "completed",
});

it("answers as the framework's own session does, whatever was added, taken off, cleared and rewritten before", async () => {
  const folder = temporaryFolder();
  const item = fc.oneof(
    fc.string().map(said),
    fc.constantFrom("a", "b").map((id) => called(id)),
  );
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.array(item, { maxLength: 3 }).map((items) => ({ does: "add", items }) as const),
    },
    { weight: 3, arbitrary: fc.constant({ does: "pop" } as const) },
    fc.constant({ does: "clear" } as const),
    fc.constantFrom("a", "b").map((callId) => ({ does: "rewrite", callId }) as const),
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.nat(4), async (steps, limit) => {
      const store = await openStore(join(folder, `${++run}.db`), { thread: false });
      const ours = new RefloatSession(store, { sessionId: "s" });
      const theirs = new MemorySession({ sessionId: "s" });
      const both = [ours, theirs];
      for (const one of steps) {
        if (one.does === "add") for (const each of both) await each.addItems([...one.items]);
        else if (one.does === "pop") expect(await ours.popItem()).toEqual(await theirs.popItem());
        else if (one.does === "clear") for (const each of both) await each.clearSession();
        else {
          const replacement = called(one.callId, "renamed") as Extract<
            AgentInputItem,
            { type: "function_call" }
          >;
          const mutations = [{ type: "replace_function_call", callId: one.callId, replacement } as const];
          // The framework's own keeps one of several alike; a call's id is one call's.
          const isThere =
            (await theirs.getItems()).filter(
              (item) => item.type === "function_call" && item.callId === one.callId,
            ).length === 1;
          if (isThere) for (const each of both) await each.applyHistoryMutations({ mutations });
        }
        expect(await ours.getItems()).toEqual(await theirs.getItems());
        expect(await ours.getItems(limit + 1)).toEqual(await theirs.getItems(limit + 1));
      }
      await ours.close();
      await store.close();
    }),
    { numRuns: 12 },
  );
});

describeOnBoth((make) => {
  it("makes a transaction once under its id, and none whose expected end is not there (D4)", async () => {
    const session = new RefloatSession(await openedHere(make()), { sessionId: "s" });
    const append = {
      operationId: "one",
      transaction: { type: "append_items", items: [said("a"), said("b")] },
    } as const;
    await session.applyHistoryTransaction({
      ...append,
      transaction: { ...append.transaction, items: [...append.transaction.items] },
    });
    await session.applyHistoryTransaction({
      ...append,
      transaction: { ...append.transaction, items: [...append.transaction.items] },
    });
    const other = { operationId: "one", transaction: { type: "append_items" as const, items: [said("c")] } };
    await expect(session.applyHistoryTransaction(other)).rejects.toMatchObject({ code: "E_ID_REUSED" });
    const swap = {
      operationId: "two",
      transaction: {
        type: "replace_suffix" as const,
        expectedSuffix: [said("b")],
        replacement: [said("B"), said("C")],
      },
    };
    await session.applyHistoryTransaction(swap);
    await session.applyHistoryTransaction(swap);
    const wrong = { operationId: "three", transaction: { ...swap.transaction } };
    await expect(session.applyHistoryTransaction(wrong)).rejects.toMatchObject({ code: "E_BAD_RECORD" });
    expect(await session.getItems()).toEqual([said("a"), said("B"), said("C")]);
    await session.close();
  });

  it("tells the next process of calls that a dead one had made and not kept, each once (C4)", async () => {
    const place = make();
    const store = await openedHere(place);
    const dies = await store.begin({ id: "openai-agents:s", agent: "dies", workspace: "w" });
    const turn = await dies.continueTurn();
    await (await turn.call({ id: "done", tool: "charge", input: { order: 1 } })).result("charged 1");
    await turn.call({ id: "open", tool: "charge", input: { order: 2 } });
    await dies.release();
    for (let life = 0; life < 2; life++) {
      const session = new RefloatSession(store, { sessionId: "s" });
      const items = await session.getItems();
      const told = items.map((item) =>
        item.type === "function_call_result" ? JSON.stringify(item.output) : item.type,
      );
      expect(told).toEqual([
        "function_call",
        expect.stringContaining("charged 1"),
        "function_call",
        expect.stringContaining("may have happened"),
      ]);
      await session.close();
    }
  });
});
