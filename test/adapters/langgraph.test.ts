/** `refloat/langgraph` beyond the framework's own suite: what it writes, who may write, branches, its store, tools that run once. */
import { HumanMessage } from "@langchain/core/messages";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import {
  type CheckpointTuple,
  emptyCheckpoint,
  InMemoryStore,
  type Item,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { CHECKPOINT_KIND } from "../../src/adapters/langgraph/checkpoint-records.ts";
import { once, RefloatMemory, RefloatSaver } from "../../src/adapters/langgraph.ts";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { describeOnBoth, openedHere, STORES } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";
import fc from "../support/fast-check.ts";

const META = { source: "loop", step: 0, parents: {} } as const;

/** Puts a checkpoint with these values on top of another; its id. */
async function put(
  saver: RefloatSaver,
  parent: string | undefined,
  values: Record<string, unknown>,
  fresh = Object.keys(values),
): Promise<string> {
  const id = uuid6(0);
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, 1]));
  const checkpoint = { ...emptyCheckpoint(), id, channel_values: values, channel_versions: versions };
  const config = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: parent } };
  await saver.put(config, checkpoint, META, Object.fromEntries(fresh.map((channel) => [channel, 1])));
  return id;
}

async function valuesAt(saver: RefloatSaver, id?: string) {
  const tuple = await saver.getTuple({ configurable: { thread_id: "t", checkpoint_id: id } });
  return tuple?.checkpoint.channel_values;
}

async function sizes(store: RefloatStore): Promise<number[]> {
  const found: number[] = [];
  for await (const { body } of store.records("langgraph:t", { kinds: [CHECKPOINT_KIND] }))
    found.push(JSON.stringify(body).length);
  return found;
}

describeOnBoth((make) => {
  it("deletes a thread after what was put before it and before what is put later: nothing deleted comes back, nobody is refused", async () => {
    const saver = new RefloatSaver(await openedHere(make()));
    const writesOn = (id: string) =>
      saver.putWrites(
        { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: id } },
        [["n", id]],
        id,
      );
    for (let round = 0; round < 3; round++) {
      const first = await put(saver, undefined, { n: round });
      const before = [put(saver, first, { n: -round }), writesOn(first)];
      const deleted = saver.deleteThread("t");
      const later = put(saver, undefined, { n: 100 + round });
      const [, , , id] = await Promise.all([...before, deleted, later]);
      await writesOn(id as string);
      const there: CheckpointTuple[] = [];
      for await (const tuple of saver.list({ configurable: { thread_id: "t" } })) there.push(tuple);
      expect(there.map(({ checkpoint }) => checkpoint.channel_values)).toEqual([{ n: 100 + round }]);
      expect(there[0]?.pendingWrites).toEqual([[id, "n", id]]);
    }
    await saver.close();
  });

  it("writes of a growing conversation only what is new, and gives back each state whole", async () => {
    const store = await openedHere(make());
    const saver = new RefloatSaver(store);
    const messages: HumanMessage[] = [];
    const ids: string[] = [];
    for (let turn = 0; turn < 60; turn++) {
      messages.push(new HumanMessage({ id: `m${turn}`, content: `${turn} `.repeat(100) }));
      ids.push(await put(saver, ids.at(-1), { messages: [...messages], turn }));
    }
    const written = await sizes(store);
    expect(written.at(-1)).toBeLessThan(2 * (written[0] ?? 0));
    const at = async (index: number) => (await valuesAt(saver, ids[index]))?.messages as HumanMessage[];
    expect((await at(59)).map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    expect((await at(20)).map(({ content }) => content)).toEqual(
      messages.slice(0, 21).map(({ content }) => content),
    );
    // Another process writes on: whole once, and the same again.
    const other = new RefloatSaver(store);
    await saver.close();
    const next = await put(other, ids.at(-1), { messages: messages.slice(0, 3), turn: 60 }, ["messages"]);
    expect(await valuesAt(other, next)).toMatchObject({ turn: 59 });
    expect((await valuesAt(saver))?.messages).toHaveLength(3);
    await other.close();
  });

  it("keeps two branches of a thread apart, though their versions count alike", async () => {
    const saver = new RefloatSaver(await openedHere(make()));
    const root = await put(saver, undefined, { list: ["root"], same: "kept" });
    const left = await put(saver, root, { list: ["root", "left"], same: "kept" }, ["list"]);
    const right = await put(saver, root, { list: ["root", "right"], same: "kept" }, ["list"]);
    const leaf = await put(saver, left, { list: ["root", "left", "leaf"], same: "kept" }, ["list"]);
    expect(await valuesAt(saver, right)).toEqual({ list: ["root", "right"], same: "kept" });
    expect(await valuesAt(saver, leaf)).toEqual({ list: ["root", "left", "leaf"], same: "kept" });
    expect(await valuesAt(saver, root)).toEqual({ list: ["root"], same: "kept" });
    await saver.close();
  });

  it("copies any checkpoint of a run with the values it has, not its parent's, also the first, which has none (D1)", async () => {
    const store = await openedHere(make());
    const saver = new RefloatSaver(store);
    const State = Annotation.Root({
      list: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
      last: Annotation<string>(),
      only: Annotation<string>(),
    });
    const builder = new StateGraph(State)
      .addNode("one", () => ({ list: ["one"], last: "one" }))
      .addNode("two", () => ({ list: ["two"], last: "two", only: "two" }))
      .addEdge(START, "one")
      .addEdge("one", "two");
    const graph = builder.compile({ checkpointer: saver });
    await graph.invoke({ list: ["in"] }, { configurable: { thread_id: "t" }, durability: "sync" });
    const made: CheckpointTuple[] = [];
    for await (const one of saver.list({ configurable: { thread_id: "t" } })) made.push(one);
    expect(made.map(({ parentConfig }) => parentConfig === undefined)).toEqual([false, false, false, true]);
    // By whoever wrote them, then by a process that remembers nothing.
    for (const by of [saver, new RefloatSaver(store)]) {
      const copies = builder.compile({ checkpointer: by });
      for (const { config, checkpoint } of made) {
        const copy = await copies.updateState(config, null, "__copy__");
        expect((await by.getTuple(copy))?.checkpoint.channel_values).toEqual(checkpoint.channel_values);
      }
      await by.close();
    }
  });

  it("lets one process write to a thread, tells the other who has it, and anybody read (K1)", async () => {
    const place = make();
    const saver = new RefloatSaver(await openedHere(place), { waitMs: 0 });
    const child = startChild(
      `import { openStore } from "./index.js";
       import { RefloatSaver } from "./adapters/langgraph.js";
       import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
       const saver = new RefloatSaver(await openStore(process.env.STORE, JSON.parse(process.env.OPEN)), { idleMs: 60_000 });
       await saver.put({ configurable: { thread_id: "t" } }, emptyCheckpoint(), { source: "input", step: -1, parents: {} }, {});
       console.log("1"); setInterval(() => undefined, 1000);`,
      { STORE: place.url, OPEN: JSON.stringify(place.open) },
    );
    await child.said();
    await expect(put(saver, undefined, { a: 1 })).rejects.toMatchObject({
      code: "E_HELD",
      by: { pid: child.pid },
    });
    expect(await valuesAt(saver)).toEqual({});
    await child.kill();
    await put(saver, undefined, { a: 1 }); // at once: the kernel says that it is dead
    expect(await valuesAt(saver)).toEqual({ a: 1 });
    await saver.close();
  });

  it("refuses a checkpoint that its serializer cannot write, and goes on: nobody else's process ends by it", async () => {
    const store = await openedHere(make());
    const saver = new RefloatSaver(store);
    const refuses = Object.assign(new RefloatSaver(store), {
      serde: {
        dumpsTyped: () => Promise.reject(new Error("not to be written")),
        loadsTyped: saver.serde.loadsTyped,
      },
    });
    // Before its claim is there, and behind another: a rejection that nobody heard meanwhile would fail this whole run.
    await Promise.all([1, 2].map((n) => expect(put(refuses, undefined, { n })).rejects.toThrow("not to be")));
    await refuses.close();
    await put(saver, undefined, { n: 3 });
    expect(await valuesAt(saver)).toEqual({ n: 3 });
    await saver.close();
  });

  it("runs a tool once for one call, hands out its result again, and does not run again what may have happened (C2, C4)", async () => {
    const place = make();
    const store = await openedHere(place);
    const saver = new RefloatSaver(store);
    const ran: string[] = [];
    const charge = once(saver, { name: "charge" }, ({ order }: { order: string }) => {
      ran.push(order);
      if (order === "bad") throw new Error("declined");
      return `charged ${order}`;
    });
    const call = (id: string) => ({ configurable: { thread_id: "t" }, toolCall: { id } });
    expect(await charge({ order: "a" }, call("1"))).toBe("charged a");
    expect(await charge({ order: "a" }, call("1"))).toBe("charged a");
    await expect(charge({ order: "bad" }, call("2"))).rejects.toThrow("declined");
    await expect(charge({ order: "bad" }, call("2"))).rejects.toThrow("declined");
    expect(await Promise.all(["3", "4", "5"].map((id) => charge({ order: id }, call(id))))).toHaveLength(3);
    expect(ran).toEqual(["a", "bad", "3", "4", "5"]);
    // One dies in the middle of two calls; of one of them it is known that running it again does no harm.
    await saver.close();
    const session = await store.begin({ id: saver.sessionOf("t"), agent: "dies", workspace: "langgraph" });
    const turn = await session.continueTurn();
    await turn.call({ id: "6", tool: "charge", input: { order: "6" } });
    await turn.call({ id: "7", tool: "charge", input: { order: "7" }, effect: "idempotent" });
    await session.release();
    await expect(charge({ order: "6" }, call("6"))).rejects.toMatchObject({ code: "E_OUTCOME_UNKNOWN" });
    expect(await charge({ order: "7" }, call("7"))).toBe("charged 7");
    expect(await charge({ order: "7" }, call("7"))).toBe("charged 7");
    expect(ran.slice(5)).toEqual(["7"]);
    await saver.close();
  });

  it("gives no call the result of another that a model gave the same id: it is refused and not run (C2, D4)", async () => {
    const store = await openedHere(make());
    const saver = new RefloatSaver(store);
    const ran: unknown[] = [];
    const run = (input: object) => {
      ran.push(input);
      return JSON.stringify(input);
    };
    const [charge, refund] = ["charge", "refund"].map((name) => once(saver, { name }, run));
    const call = { configurable: { thread_id: "t" }, toolCall: { id: "call_0" } };
    const other = { code: "E_ID_REUSED", data: { id: "call_0" } };
    await charge?.({ order: 1, at: { shop: "a" } }, call);
    await expect(charge?.({ order: 2, at: { shop: "a" } }, call)).rejects.toMatchObject(other);
    await expect(refund?.({ order: 1, at: { shop: "a" } }, call)).rejects.toMatchObject(other);
    // The same one, though its fields come in another order.
    expect(await charge?.({ at: { shop: "a" }, order: 1 }, call)).toBe('{"order":1,"at":{"shop":"a"}}');
    // Two at once: in one turn the same start again would count as there already (D4).
    const second = { ...call, toolCall: { id: "call_1" } };
    const both = [1, 1].map(async (order) => charge?.({ order }, second));
    const [first, again] = await Promise.allSettled(both);
    expect(first).toMatchObject({ value: '{"order":1}' });
    const isKept = again?.status === "fulfilled"; // else it was still running
    expect(again).toMatchObject(
      isKept ? { value: '{"order":1}' } : { reason: { code: "E_OUTCOME_UNKNOWN" } },
    );
    expect(ran).toEqual([{ order: 1, at: { shop: "a" } }, { order: 1 }]);
    await saver.close();
  });
});

describe.each(STORES)("the store for what lasts beyond a thread, on %s", (_, make) => {
  const label = fc.constantFrom("a", "b", "c");
  const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
  const value = fc.option(fc.record({ n: fc.integer({ min: 0, max: 3 }) }), { nil: null, freq: 4 });
  const asked = fc.oneof(
    fc.record({ namespace, key: label }),
    fc.record({
      namespacePrefix: fc.array(label, { maxLength: 2 }),
      filter: fc.constantFrom({}, { n: 1 }, { n: { $gte: 2 } }, { n: { $ne: 1 } }),
      limit: fc.constant(100),
    }),
  );

  it("answers as the framework's own does, whatever was put, replaced and deleted before", async () => {
    const puts = fc.array(fc.record({ namespace, key: label, value }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(puts, fc.array(asked, { maxLength: 6 }), async (written, questions) => {
        const { url, open } = make();
        const store = await openStore(url, { thread: false, ...open });
        const [ours, theirs] = [new RefloatMemory(store), new InMemoryStore()];
        for (const one of written) for (const each of [ours, theirs]) await each.batch([one]);
        const [mine, reference] = await Promise.all(
          [ours, theirs].map(async (one) => ((await one.batch(questions)) as unknown[]).map(comparable)),
        );
        expect(mine).toEqual(reference);
        await ours.stop();
        await store.close();
      }),
      { numRuns: 15 },
    );
  });

  it("lists namespaces that hold something, by their ends and to a depth", async () => {
    const memory = new RefloatMemory(await openedHere(make()));
    for (const path of [["users", "ann", "notes"], ["users", "bob", "notes"], ["shop"], ["gone"]])
      await memory.put(path, "k", { v: 1 });
    await memory.delete(["gone"], "k");
    expect(await memory.listNamespaces()).toEqual([
      ["shop"],
      ["users", "ann", "notes"],
      ["users", "bob", "notes"],
    ]);
    expect(await memory.listNamespaces({ prefix: ["users", "*"], maxDepth: 1 })).toEqual([["users"]]);
    expect(await memory.listNamespaces({ suffix: ["notes"], limit: 1 })).toEqual([["users", "ann", "notes"]]);
    await memory.stop();
  });
});

/** Items by their place, without the times at which they were put. */
function comparable(answer: unknown): unknown {
  const items = (Array.isArray(answer) ? answer : answer ? [answer] : []) as Item[];
  return items.map(({ namespace, key, value }) => JSON.stringify([namespace, key, value])).toSorted();
}
