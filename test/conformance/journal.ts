/** Records in and out: acknowledged means there (D1), order is the store's (D3), ids are unique (D4), groups do not hurt (driver 2). */
import { expect, test } from "vitest";
import {
  begun,
  child,
  codeOf,
  decided,
  journal,
  type MakePlace,
  newRecord,
  open,
  type Store,
  sessionId,
  turnBegan,
  valuesOf,
} from "./harness.ts";

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

export function journalLaws(make: MakePlace): void {
  test("D1: what was acknowledged is there for another process at once, and after the writer was killed", async () => {
    const place = make();
    const writer = child(
      place,
      `const { attempt } = await takeClaim(store, { session: "s", owner: selfOwner(), records: () => [] });
       await store.append("s", { attempt }, [record("decided", { key: "k", value: 7, reason: null, step: null })]);
       say("done"); setInterval(() => {}, 1000);`,
    );
    expect(await writer.said()).toBe("done");
    const store = await open(place);
    expect(await valuesOf(store, sessionId("s"))).toEqual([7]);
    await writer.kill();
    expect(await valuesOf(store, sessionId("s"))).toEqual([7]);
    expect(await valuesOf(await open(place), sessionId("s"))).toEqual([7]);
  });

  test("D3: sequence numbers are gapless from 1, and a thousand records of one millisecond keep the order they were given in", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const given = numbers(1, 1000);
    const done = await Promise.all(given.map((n) => store.append(session, by, [decided(n, `id-${n}`, 42)])));
    expect(done.map(({ seqs }) => seqs[0])).toEqual(numbers(2, 1001));
    const records = await journal(store, session);
    expect(records.map(({ seq }) => seq)).toEqual(numbers(1, 1001));
    expect(await valuesOf(store, session)).toEqual(given);
    expect(new Set(records.slice(1).map(({ atMs }) => atMs))).toEqual(new Set([42]));
  });

  test("D3: a clock that steps back changes what a record says of its time, never where it stands", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const times = [5_000_000_000_000, 3, 2, 1, 0, -86_400_000];
    for (const [i, atMs] of times.entries()) await store.append(session, by, [decided(i, `id-${i}`, atMs)]);
    const records = (await journal(store, session)).slice(1);
    expect(records.map(({ atMs }) => atMs)).toEqual(times);
    expect(records.map(({ body }) => body.value)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("records are read by range, backwards, by kind and by id; a page never holds more than it may", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, by, [...numbers(2, 700).map((n) => decided(n, `id-${n}`)), turnBegan("t")]);
    const seqs = async (query: object): Promise<number[]> =>
      (await store.records({ session, ...query })).map(({ seq }) => seq);
    expect(await seqs({ fromSeq: 3, toSeq: 5 })).toEqual([3, 4, 5]);
    expect(await seqs({ toSeq: 5, order: "backward", limit: 2 })).toEqual([5, 4]);
    expect(await seqs({ kinds: ["turn.began", "session.began"] })).toEqual([1, 701]);
    expect(await seqs({})).toEqual(numbers(1, 500));
    expect(await seqs({ limit: 10_000 })).toHaveLength(500);
    expect(await seqs({ limit: 0 })).toEqual([]);
    expect((await store.recordById(session, decided(0, "id-9").id))?.seq).toBe(9);
    expect(await store.recordById(session, decided(0, "nobody").id)).toBeNull();
  });

  test("a journal is read page by page, whole or in part, without a record twice or left out", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, by, [...numbers(2, 700).map((n) => decided(n, `id-${n}`)), turnBegan("t")]);
    const seqs = async (range: Parameters<Store["journal"]>[1]): Promise<number[]> => {
      const found: number[] = [];
      for await (const { seq } of store.journal(session, range)) found.push(seq);
      return found;
    };
    expect(await seqs({})).toEqual(numbers(1, 701));
    expect(await seqs({ pageRows: 10_000 })).toEqual(numbers(1, 701));
    expect(await seqs({ fromSeq: 3, toSeq: 9, pageRows: 2 })).toEqual(numbers(3, 9));
    expect(await seqs({ kinds: ["session.began", "turn.began"], pageRows: 1 })).toEqual([1, 701]);
    expect(await seqs({ kinds: ["decided"], pageRows: 100 })).toEqual(numbers(2, 700));
  });

  test("D4: the same id and body again is a no-op that answers with the same numbers, whatever the clock says", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const first = await store.append(session, by, [decided("a", "one", 1), decided("b", "two", 2)]);
    const again = await store.append(session, by, [decided("a", "one", 99), decided("b", "two", 98)]);
    expect([first.isRepeat, again.isRepeat]).toEqual([false, true]);
    expect(again.seqs).toEqual(first.seqs);
    expect((await journal(store, session)).map(({ atMs }) => atMs).slice(1)).toEqual([1, 2]);
  });

  test("D4: repeats inside of a change are no-ops with the numbers they have, in any place and order, and the others are written", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const first = await store.append(session, by, [decided("a", "one"), decided("b", "two")]);
    const [one, two] = first.seqs as [number, number];
    const append = async (...records: ReturnType<typeof decided>[]) => {
      const { seqs, head, isRepeat } = await store.append(session, by, records);
      return { seqs, head, isRepeat };
    };
    expect(await append(decided("a", "one"), decided("c", "three"))).toEqual({
      seqs: [one, two + 1],
      head: two + 1,
      isRepeat: false,
    });
    expect(
      await append(decided("d", "four"), decided("b", "two"), decided("e", "five"), decided("a", "one")),
    ).toEqual({
      seqs: [two + 2, two, two + 3, one],
      head: two + 3,
      isRepeat: false,
    });
    // The same twice in one change is one record.
    expect(await append(decided("f", "six"), decided("g", "seven"), decided("f", "six"))).toEqual({
      seqs: [two + 4, two + 5, two + 4],
      head: two + 5,
      isRepeat: false,
    });
    expect(await append(decided("g", "seven"), decided("f", "six"), decided("g", "seven"))).toEqual({
      seqs: [two + 5, two + 4, two + 5],
      head: two + 5,
      isRepeat: true,
    });
    expect(await valuesOf(store, session)).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  });

  test("D4, C1: a repeat among others asks for nothing again: what it opened and closed stays, and the others find it so", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const ended = newRecord("turn.ended", { turn: "t", outcome: "completed", reason: null }, "t-end");
    await store.append(session, by, [turnBegan("t")]);
    const began = (await journal(store, session)).at(-1) ?? expect.unreachable();
    const again = newRecord("turn.began", began.body, began.id);
    const { seqs } = await store.append(session, by, [again, ended]);
    expect(seqs).toEqual([began.seq, began.seq + 1]);
    expect(await store.open(session)).toEqual([]);
    const more = await store.append(session, by, [ended, again, turnBegan("u")]);
    expect(more.seqs).toEqual([began.seq + 1, began.seq, began.seq + 2]);
    expect((await store.open(session)).map(({ id }) => id)).toEqual(["u"]);
    // Refused for what is new in it, and nothing of it stays.
    expect(await codeOf(store.append(session, by, [ended, decided("left"), turnBegan("u")]))).toBe(
      "E_ALREADY_OPEN",
    );
    expect(await valuesOf(store, session)).toEqual([]);
  });

  test("D4: the same id with another body or kind is E_ID_REUSED, names that record and writes nothing", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, by, [decided("a", "one")]);
    for (const records of [
      [decided("b", "one")],
      [newRecord("x.other", { key: "k", value: "a", reason: null, step: null }, "one")],
      [decided("new", "two"), decided("b", "one")],
      [decided("a", "one"), decided("new", "two"), decided("b", "one")],
    ]) {
      const refusal = await store.append(session, by, records).catch((thrown: Error) => thrown);
      expect(refusal).toMatchObject({ code: "E_ID_REUSED", message: expect.stringContaining("one") });
    }
    expect(await valuesOf(store, session)).toEqual(["a"]);
  });

  test("D4, driver 2: one id twice in a change with two bodies is E_ID_REUSED, writes nothing and does not hurt what is appended in the same tick", async () => {
    const store = await open(make());
    const [a, b] = [await begun(store), await begun(store)];
    const [twice, fine] = await Promise.all([
      codeOf(store.append(a.session, a.by, [decided("x", "same"), decided("y", "same")])),
      codeOf(store.append(b.session, b.by, [decided("fine")])),
    ]);
    expect(twice).toBe("E_ID_REUSED");
    expect(fine).toMatch(/^no error/);
    expect([await valuesOf(store, a.session), await valuesOf(store, b.session)]).toEqual([[], ["fine"]]);
  });

  test("D4: ids are a session's own, the same id and another body in another session is another record", async () => {
    const store = await open(make());
    const [a, b] = [await begun(store), await begun(store)];
    await store.append(a.session, a.by, [decided("a", "one")]);
    await store.append(b.session, b.by, [decided("b", "one")]);
    expect([await valuesOf(store, a.session), await valuesOf(store, b.session)]).toEqual([["a"], ["b"]]);
  });

  test("D1: five hundred appends of fifty sessions at once are all there, each session's in the order they were given", async () => {
    const store = await open(make());
    const sessions = await Promise.all(numbers(1, 50).map(() => begun(store)));
    const appends = numbers(1, 10).flatMap((n) =>
      sessions.map(({ session, by }) => store.append(session, by, [decided(n), decided(-n)])),
    );
    const heads = await Promise.all(appends);
    expect(heads).toHaveLength(500);
    const expected = numbers(1, 10).flatMap((n) => [n, -n]);
    for (const { session } of sessions) {
      expect(await valuesOf(store, session)).toEqual(expected);
      expect((await journal(store, session)).map(({ seq }) => seq)).toEqual(numbers(1, 21));
    }
  });

  test("driver 2: every way a change can be refused leaves no trace of it and does not hurt the other changes of its group", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, by, [decided(0, "used"), turnBegan("t")]);
    const missing = { hash: "0".repeat(64) as never };
    const refused = {
      E_ID_REUSED: () => store.append(session, by, [decided("left"), decided(1, "used")]),
      E_FENCED: () => store.append(session, { attempt: 7 }, [decided("left")]),
      E_NO_SESSION: () => store.append(sessionId(), by, [decided("left")]),
      E_HEAD_MOVED: () => store.append(session, by, [decided("left")], { expectHead: 0 }),
      E_NOT_OPEN: () =>
        store.append(session, by, [
          decided("left"),
          newRecord("turn.ended", { turn: "never", outcome: "completed", reason: null }),
        ]),
      E_ALREADY_OPEN: () => store.append(session, by, [decided("left"), turnBegan("t")]),
      E_NO_CONTENT: () => store.append(session, by, [{ ...decided("left"), contents: [missing] }]),
    };
    const work = Object.values(refused).flatMap((refuse, i) => [
      codeOf(refuse()),
      codeOf(store.append(session, by, [decided(`good ${i}`)])),
    ]);
    const codes = await Promise.all(work);
    expect(codes.filter((_, i) => i % 2 === 0)).toEqual(Object.keys(refused));
    expect(codes.filter((code, i) => i % 2 === 1 && !code.startsWith("no error"))).toEqual([]);
    expect(await valuesOf(store, session)).toEqual([0, ...Object.keys(refused).map((_, i) => `good ${i}`)]);
    expect((await store.open(session)).map(({ id }) => id)).toEqual(["t"]);
  });

  test("C5: an append that expects another head is refused with E_HEAD_MOVED, with the right one it goes through", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const { head } = await store.append(session, by, [decided(1)]);
    expect(await codeOf(store.append(session, by, [decided(2)], { expectHead: head - 1 }))).toBe(
      "E_HEAD_MOVED",
    );
    expect(await codeOf(store.append(session, by, [decided(2)], { expectHead: head + 1 }))).toBe(
      "E_HEAD_MOVED",
    );
    await store.append(session, by, [decided(3)], { expectHead: head });
    expect(await valuesOf(store, session)).toEqual([1, 3]);
  });

  test("C5: of two who decided on the same head exactly one is let through", async () => {
    const place = make();
    const [one, two] = [await open(place), await open(place)];
    const { session, by } = await begun(one);
    for (let head = 1; head <= 20; head++) {
      const codes = await Promise.all(
        [one, two].map((store, i) => codeOf(store.append(session, by, [decided(i)], { expectHead: head }))),
      );
      expect(codes.filter((code) => code === "E_HEAD_MOVED")).toHaveLength(1);
    }
    expect(await valuesOf(one, session)).toHaveLength(20);
  });

  test("T5: a change of more records than one may have is refused whole", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    const records = numbers(1, 1001).map((n) => decided(n));
    expect(await codeOf(store.append(session, by, records))).toBe("E_TOO_LARGE");
    await store.append(session, by, records.slice(1));
    expect(await valuesOf(store, session)).toEqual(numbers(2, 1001));
  });

  test("a closed store refuses everything with E_CLOSED, and what was handed in before the close is saved", async () => {
    const place = make();
    const store = await open(place);
    const { session, by } = await begun(store);
    const last = store.append(session, by, [decided("last")]);
    const closing = [store.close(), store.close()];
    expect(await codeOf(last)).toMatch(/^no error/);
    await Promise.all(closing);
    expect(await codeOf(store.append(session, by, [decided("late")]))).toBe("E_CLOSED");
    expect(await codeOf(store.session(session))).toBe("E_CLOSED");
    expect(await valuesOf(await open(place), session)).toEqual(["last"]);
  });

  test("D5: a damaged row costs that row: it is handed out empty and marked, the rows around it are whole", async () => {
    const place = make();
    const store = await open(place);
    const { session, by } = await begun(store);
    await store.append(session, by, [decided("a"), decided("b"), decided("c")]);
    await place.damageRow(session, 3);
    const records = await journal(store, session);
    expect(records.map(({ isDamaged }) => isDamaged)).toEqual([false, false, true, false]);
    expect(records.map(({ body }) => body.value)).toEqual([undefined, "a", undefined, "c"]);
    expect(records[2]?.body).toEqual({});
  });
}
