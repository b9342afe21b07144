/** What is open until another record closes it (C1, C2): each thing is opened once, used while open, closed once. */
import { expect, test } from "vitest";
import {
  begun,
  callEnded,
  callStarted,
  codeOf,
  inputQueued,
  journal,
  type MakePlace,
  newRecord,
  open,
  type Store,
  sessionId,
  turnBegan,
} from "./harness.ts";

const turnEnded = (turn: string) => newRecord("turn.ended", { turn, outcome: "completed", reason: null });
const opened = (message: string, turn: string) =>
  newRecord("message.opened", { message, turn, role: "assistant" });
const grew = (message: string) => newRecord("message.grew", { message, parts: [] });
const ended = (message: string) => newRecord("message.ended", { message, state: "final", parts: [] });

export function openLaws(make: MakePlace): void {
  test("what is open is listed in the order it was opened, with the record that opened it, until it is closed", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const list = async () => (await store.open(session)).map(({ what, id, seq }) => [what, id, seq]);
    await store.append(session, by, [
      turnBegan("t"),
      callStarted("c", "t"),
      opened("m", "t"),
      inputQueued("i"),
    ]);
    await store.append(session, by, [
      newRecord("operation.began", { operation: "o", label: "l", paths: null }),
    ]);
    expect(await list()).toEqual([
      ["turn", "t", 2],
      ["call", "c", 3],
      ["message", "m", 4],
      ["input", "i", 5],
      ["operation", "o", 6],
    ]);
    await store.append(session, by, [
      callEnded("c", ""),
      ended("m"),
      newRecord("operation.ended", { operation: "o", aborted: false }),
    ]);
    expect(await list()).toEqual([
      ["turn", "t", 2],
      ["input", "i", 5],
    ]);
  });

  test("what several sessions have open is one answer: each with its own, in order, and none of another session's", async () => {
    const store = await open(make());
    const [first, second, third] = [await begun(store), await begun(store), await begun(store)];
    await store.append(first.session, first.by, [turnBegan("t"), callStarted("c", "t")]);
    await store.append(second.session, second.by, [turnBegan("t")]);
    await store.append(third.session, third.by, [turnBegan("t"), turnEnded("t")]);
    const found = await store.openAmong([first.session, third.session, sessionId("never-was")]);
    expect([...found]).toEqual([[first.session, await store.open(first.session)]]);
    expect(found.get(first.session)?.map(({ what }) => what)).toEqual(["turn", "call"]);
    expect(await store.openAmong([])).toEqual(new Map());
  });

  test("closing what is not open is E_NOT_OPEN for every kind of thing, also for those a gateway opens", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const closings = [
      newRecord("operation.ended", { operation: "x", aborted: false }),
      newRecord("delivery.ended", { delivery: "x", outcome: "delivered", reason: null }),
      newRecord("confirmation.ended", { confirmation: "x", outcome: "used", input: null }),
      newRecord("instance.ended", { instance: "x", how: "clean", found_by: null, cause: "clean" }),
      newRecord("drain.ended", { instance: "x", interrupted: null }),
    ];
    for (const closing of closings) {
      expect(await codeOf(store.append(session, by, [closing])), closing.kind).toBe("E_NOT_OPEN");
    }
  });

  test("C2: a call ends once: a second result is E_NOT_OPEN and the first one stands", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, by, [turnBegan("t"), callStarted("c", "t"), callEnded("c", "first")]);
    expect(await codeOf(store.append(session, by, [callEnded("c", "second")]))).toBe("E_NOT_OPEN");
    const outputs = (await journal(store, session)).flatMap(({ body }) =>
      body.output === undefined ? [] : [body.output],
    );
    expect(outputs).toEqual(["first"]);
  });

  test("nothing is written into what is not open: no call or message without its turn, no growth of an ended message", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, by, [
      turnBegan("over"),
      turnEnded("over"),
      turnBegan("t"),
      opened("m", "t"),
      ended("m"),
    ]);
    for (const record of [
      callStarted("c", "over"),
      callStarted("c", "never"),
      opened("m2", "over"),
      newRecord("message.added", { turn: "over", role: "user", parts: [] }),
      grew("m"),
      grew("never"),
      ended("m"),
      turnEnded("over"),
      newRecord("input.taken", { input: "never", turn: "t" }),
      newRecord("operation.ended", { operation: "never", aborted: true }),
    ])
      expect(await codeOf(store.append(session, by, [record]))).toBe("E_NOT_OPEN");
    expect((await store.session(session))?.head).toBe(6);
  });

  test("a thing that is open is not opened again; once it is closed its id may be used again", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, by, [turnBegan("t"), callStarted("c", "t")]);
    expect(await codeOf(store.append(session, by, [callStarted("c", "t")]))).toBe("E_ALREADY_OPEN");
    await store.append(session, by, [
      callEnded("c", "a"),
      callStarted("c", "t"),
      callEnded("c", "b"),
      callStarted("c", "t"),
    ]);
    expect((await store.open(session)).map(({ id, seq }) => [id, seq])).toEqual([
      ["t", 2],
      ["c", 7],
    ]);
  });

  test("what is open can be asked for by what it is and by how many, oldest first; a queue beside it is not read", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, by, [
      inputQueued("a"),
      turnBegan("t"),
      inputQueued("b"),
      callStarted("c", "t"),
    ]);
    const ids = async (filter: Parameters<Store["open"]>[1]) =>
      (await store.open(session, filter)).map(({ id }) => id);
    expect(await ids({ what: ["input"] })).toEqual(["a", "b"]);
    expect(await ids({ what: ["call", "turn"] })).toEqual(["t", "c"]);
    expect(await ids({ what: ["input"], limit: 1 })).toEqual(["a"]);
    expect(await ids({ limit: 3 })).toEqual(["a", "t", "b"]);
    expect(await ids({ what: ["delivery"] })).toEqual([]);
    expect(await ids({ what: [] })).toEqual([]);
  });

  test("C1: taking an input from the queue and beginning its turn is one step: refused, it leaves both as they were", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, "anyone", [inputQueued("i")]);
    const begin = newRecord("turn.began", { turn: "t", parts: null, input: "i" });
    expect(await codeOf(store.append(session, { attempt: 9 }, [begin]))).toBe("E_FENCED");
    expect((await store.open(session)).map(({ what }) => what)).toEqual(["input"]);
    await store.append(session, by, [begin]);
    expect((await store.open(session)).map(({ what }) => what)).toEqual(["turn"]);
    const again = newRecord("turn.began", { turn: "t2", parts: null, input: "i" });
    expect(await codeOf(store.append(session, by, [again]))).toBe("E_NOT_OPEN");
    expect((await store.open(session)).map(({ id }) => id)).toEqual(["t"]);
  });

  test("C1: of the owner who takes an input and an outsider who drops it exactly one wins, thirty times out of thirty", async () => {
    const place = make();
    const [owner, outsider] = [await open(place), await open(place)];
    const { session, by } = await begun(owner);
    await owner.append(session, by, [turnBegan("t")]);
    for (let round = 0; round < 30; round++) {
      const input = `i${round}`;
      await outsider.append(session, "anyone", [inputQueued(input)]);
      const codes = await Promise.all([
        codeOf(owner.append(session, by, [newRecord("input.taken", { input, turn: "t" })])),
        codeOf(outsider.append(session, "anyone", [newRecord("input.dropped", { input, reason: "r" })])),
      ]);
      expect(codes.filter((code) => code === "E_NOT_OPEN")).toHaveLength(1);
    }
    const ends = (await journal(owner, session)).filter(({ kind }) => /taken|dropped/.test(kind));
    expect(new Set(ends.map(({ body }) => body.input)).size).toBe(30);
    expect(ends).toHaveLength(30);
  });

  test("ids of open things are kept apart by kind and by session, whatever characters are in them", async () => {
    const store = await open(make());
    const [a, b] = [await begun(store), await begun(store)];
    const odd = ["x", "x ", "X", "call x", "é", "e\u0301", "../x", "'; DROP TABLE open; --", "😀"];
    await store.append(a.session, a.by, [turnBegan("x"), ...odd.map((id) => callStarted(id, "x"))]);
    expect((await store.open(a.session)).slice(1).map(({ id }) => id)).toEqual(odd);
    expect(await store.open(b.session)).toEqual([]);
    for (const id of odd) await store.append(a.session, a.by, [callEnded(id, id)]);
    expect((await store.open(a.session)).map(({ what, id }) => [what, id])).toEqual([["turn", "x"]]);
  });

  test("driver 5: the session's row remembers what its records say, and changes with them or not at all", async () => {
    const store = await open(make());
    const { session, by } = await begun(store, sessionId(), { goal: "g", name: "n" });
    const facts = async (of: Store) => (await of.session(session))?.facts;
    expect(await facts(store)).toMatchObject({
      agent: "test",
      workspace: "/w",
      goal: "g",
      name: "n",
      dirty_ends: 0,
    });
    const recovered = { cause: "lost", turns: [], calls: [], messages: [], dirty_ends: 2 };
    await store.append(session, by, [
      newRecord("recovered", recovered),
      newRecord("session.suspended", { reason: "three" }),
    ]);
    expect(await facts(store)).toMatchObject({ cause: "lost", dirty_ends: 2, suspended: "three" });
    await codeOf(
      store.append(session, by, [newRecord("session.lifted", { reason: "r" }), turnEnded("never")]),
    );
    expect(await facts(store)).toMatchObject({ suspended: "three" });
    await store.append(session, by, [newRecord("session.finished", { cause: "clean" }, undefined, 77)]);
    expect(await facts(store)).toMatchObject({ ended_at_ms: 77, cause: "clean", goal: "g" });
  });

  test("sessions are listed by the bytes of their ids, over many pages, by workspace, name and beginning of the id", async () => {
    const store = await open(make());
    const many = Array.from({ length: 520 }, (_, i) => `m${String(i).padStart(3, "0")}`);
    const odd = ["A", "a", "B", "Z_", "ZA", "Z%", "é", "😀1", "😀2", "😁"];
    await Promise.all(many.map((id) => begun(store, sessionId(id))));
    await Promise.all(odd.map((id) => begun(store, sessionId(id), { workspace: `/${id}`, name: `n ${id}` })));
    const ids = async (filter?: object) => (await store.sessions(filter)).map(({ id }) => id);
    const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(await ids()).toEqual([...many, ...odd].sort(byBytes));
    expect(await ids({ limit: 2 })).toEqual(["A", "B"]);
    expect(await ids({ after: sessionId("m518") })).toEqual(["m519", "é", "😀1", "😀2", "😁"]);
    expect(await ids({ workspace: "/é" })).toEqual(["é"]);
    const places = await store.workspaces();
    expect([...places].sort(), "each once (W8)").toEqual([...new Set(places)].sort());
    for (const id of odd) expect(places).toContain(`/${id}`);
    expect(await ids({ name: "n a" })).toEqual(["a"]);
    expect(await ids({ workspace: "/a", name: "n A" })).toEqual([]);
    expect(await ids({ prefix: "Z_" })).toEqual(["Z_"]);
    expect(await ids({ prefix: "Z%" })).toEqual(["Z%"]);
    expect(await ids({ prefix: "😀" })).toEqual(["😀1", "😀2"]);
    expect(await ids({ prefix: "m51" })).toHaveLength(10);
  });
}
