/** `forget` (the one exception of D2): on the user's order the bytes are gone from the store's files; the shape and a note stay. */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { NewRecord } from "../../dist/model/record.js";
import { checkStore } from "../../dist/store/check.js";
import { exportLines } from "../../dist/store/export.js";
import { finishErasures } from "../../dist/store/finish-erasures.js";
import { forget } from "../../dist/store/forget.js";
import {
  begun,
  type Claimed,
  callEnded,
  callStarted,
  child,
  codeOf,
  decided,
  hashOf,
  inputQueued,
  journal,
  type MakePlace,
  newRecord,
  open,
  randomName,
  type Store,
  sessionId,
  takenBy,
  turnBegan,
  whole,
} from "./harness.ts";

const MiB = 1024 * 1024;

async function release(store: Store, { session, attempt }: Claimed): Promise<void> {
  await store.release(session, attempt, [newRecord("claim.released", { attempt })]);
}

const LONG = "said-in-a-long-session";

/** Its goal and so many records, one of which names a content. */
async function longSession(store: Store, count: number): Promise<Claimed> {
  const claimed = await begun(store, sessionId(), { goal: LONG });
  const file = await store.putContent(Buffer.from(LONG.repeat(100)));
  const records = Array.from({ length: count }, (_, i) => decided(`${LONG} ${i}`, `n${i}`));
  for (let at = 0; at < count; at += 500)
    await store.append(claimed.session, claimed.by, records.slice(at, at + 500));
  await store.append(claimed.session, claimed.by, [
    { ...decided(LONG, "with"), contents: [{ hash: file.hash, path: "/f" }] },
  ]);
  return claimed;
}

/** A session that says `marker` in every way a session can say something. */
async function tellAll(store: Store, marker: string): Promise<Claimed> {
  const claimed = await begun(store, sessionId(), { goal: `find ${marker}` });
  const { session, by } = claimed;
  const file = await store.putContent(Buffer.concat([randomBytes(MiB), Buffer.from(marker.repeat(20_000))]));
  const parts = [{ type: "text", text: marker }];
  const started = newRecord("call.started", {
    call: "c",
    turn: "t",
    tool: "t",
    input: { marker },
    effect: "unknown",
  });
  const records: NewRecord[] = [
    inputQueued(`i`),
    newRecord("turn.began", { turn: "t", parts, input: null }),
    newRecord("message.added", { turn: "t", role: "assistant", parts }),
    started,
    callEnded("c", `${marker} `.repeat(30_000)),
    newRecord("patched", { record: started.id, metadata: { note: marker } }),
    newRecord("operation.began", { operation: "o", label: "l", paths: [`/${marker}`] }),
    { ...decided(marker), contents: [{ hash: file.hash, path: `/src/${marker}.ts` }] },
    newRecord("x.unknown", { text: marker }),
    newRecord("superseded", { from_seq: 2, to_seq: 3, reason: "compaction", summary: parts }),
  ];
  for (const record of records) await store.append(session, by, [record]);
  return claimed;
}

export function forgetLaws(make: MakePlace): void {
  test("D2: what a session said is in none of the store's files and in no export once it is forgotten", async () => {
    const place = make();
    const store = await open(place);
    const [marker, kept] = [`secret-${randomName()}`, `kept-${randomName()}`];
    const other = await tellAll(store, kept);
    const claimed = await tellAll(store, marker);
    await release(store, claimed);
    expect((await place.rawBytes()).includes(marker)).toBe(true);
    const result = await forget(store, { session: claimed.session, reason: "asked to" });
    expect(result).toMatchObject({ sessions: 1, records: 11, contents: 2, held: [] });
    const raw = await place.rawBytes();
    expect([raw.includes(marker), raw.includes(kept)]).toEqual([false, true]);
    const lines: string[] = [];
    for await (const line of exportLines(store, { raw: true })) lines.push(line);
    const exported = lines.map(
      (line) => line + Buffer.from(line.match(/"data":"([^"]*)"/)?.[1] ?? "", "base64"),
    );
    expect([exported.join().includes(marker), exported.join().includes(kept)]).toEqual([false, true]);
    await store.close();
    expect((await place.rawBytes()).includes(marker)).toBe(false);
    const again = await open(place);
    expect((await journal(again, other.session)).some(({ body }) => body.value === kept)).toBe(true);
  });

  test("D2: forgetting a session again erases nothing more and clears the files again, for when that failed before", async () => {
    const store = await open(make());
    const claimed = await begun(store);
    await store.append(claimed.session, claimed.by, [decided("private")]);
    await release(store, claimed);
    expect(await forget(store, { session: claimed.session })).toMatchObject({ sessions: 1 });
    const again = await forget(store, { session: claimed.session });
    expect(again).toMatchObject({ sessions: 1, records: 0, contents: 0 });
  });

  test("D2: the shape of a forgotten session stays: numbers, kinds, ids, turns and calls; a record says that and why", async () => {
    const store = await open(make());
    const claimed = await tellAll(store, "m");
    await release(store, claimed);
    const before = await journal(store, claimed.session);
    await forget(store, { session: claimed.session, reason: "a request" });
    const after = await journal(store, claimed.session);
    const frame = ({ seq, id, kind, attempt, atMs }: (typeof after)[number]) => [
      seq,
      id,
      kind,
      attempt,
      atMs,
    ];
    expect(after.slice(0, -1).map(frame)).toEqual(before.map(frame));
    expect(after.every(({ isDamaged }) => !isDamaged)).toBe(true);
    expect(after.filter(({ isForgotten }) => !isForgotten).map(({ kind }) => kind)).toEqual([
      "claim.released",
      "forgotten",
    ]);
    expect(after.find(({ kind }) => kind === "call.ended")?.body).toEqual({
      forgotten: true,
      call: "c",
      status: "done",
      synthetic: false,
    });
    expect(after.at(-1)).toMatchObject({ attempt: null, body: { records: 11, reason: "a request" } });
    expect((await checkStore(store)).damage).toEqual([]);
    expect((await store.session(claimed.session))?.facts.goal).toBeNull();
  });

  test("D2: contents that only the forgotten records named are gone, those that others name stay, chunk by chunk", async () => {
    const place = make();
    const store = await open(place);
    const [mine, theirs] = [await begun(store), await begun(store)];
    const bytes = randomBytes(3 * MiB);
    const [own, shared] = [await store.putContent(bytes), await store.putContent(bytes.subarray(0, MiB))];
    const naming = (hash: string, path: string) => ({
      ...decided(path),
      contents: [{ hash: hash as never, path }],
    });
    await store.append(mine.session, mine.by, [naming(own.hash, "/own"), naming(shared.hash, "/shared")]);
    await store.append(theirs.session, theirs.by, [naming(shared.hash, "/shared")]);
    await release(store, mine);
    const erased = { contents: 1, bytes: takenBy(place, 2 * MiB, 2) };
    expect(await forget(store, { session: mine.session })).toMatchObject(erased);
    expect(await codeOf(whole(store, own.hash))).toBe("E_NO_CONTENT");
    expect((await whole(store, shared.hash)).equals(bytes.subarray(0, MiB))).toBe(true);
    expect((await checkStore(store)).damage).toEqual([]);
  });

  test("D1: forgetting one session does not hurt a content that another is just putting", async () => {
    const store = await open(make());
    const [forgotten, writing] = [await begun(store), await begun(store)];
    await store.append(forgotten.session, forgotten.by, [decided("x".repeat(400_000))]);
    await release(store, forgotten);
    const bytes = randomBytes(3 * MiB);
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 2 * MiB + 1);
      await forget(store, { session: forgotten.session });
      yield bytes.subarray(2 * MiB + 1);
    }
    const { hash } = await store.putContent(source());
    expect(hash).toBe(hashOf(bytes));
    await store.append(writing.session, writing.by, [{ ...decided(1), contents: [{ hash }] }]);
    expect((await whole(store, hash)).equals(bytes)).toBe(true);
  });

  test("K1: a session somebody holds is not forgotten: named it is E_HELD, among others it is left alone and told", async () => {
    const store = await open(make());
    const [held, free] = [await begun(store), await begun(store)];
    for (const { session, by } of [held, free])
      await store.append(session, by, [decided("words", undefined, 5)]);
    await release(store, free);
    expect(await codeOf(forget(store, { session: held.session }))).toBe("E_HELD");
    const result = await forget(store, { beforeMs: 10 });
    expect(result).toMatchObject({ sessions: 1, held: [held.session] });
    const values = async (session: typeof held.session) => (await journal(store, session))[1]?.body.value;
    expect([await values(held.session), await values(free.session)]).toEqual(["words", undefined]);
    expect(await codeOf(forget(store, { session: "nobody" }))).toBe("E_NO_SESSION");
  });

  test("forgetting by time or by path takes those records only; a dry run takes none and says how many it would", async () => {
    const store = await open(make());
    const claimed = await begun(store);
    const { session, by } = claimed;
    const { hash } = await store.putContent(Buffer.from("x"));
    await store.append(session, by, [
      turnBegan("t"),
      { ...decided("by content", "content", 50), contents: [{ hash, path: "/w/src/a.env" }] },
      newRecord(
        "call.started",
        { call: "c", turn: "t", tool: "t", input: { file_path: "/w/.env" }, effect: "unknown" },
        "field",
        50,
      ),
      callStarted("d", "t"),
      decided("old", "old", 5),
      decided("new", "new", 50),
    ]);
    await release(store, claimed);
    const forgotten = async () =>
      (await journal(store, session)).filter((r) => r.isForgotten).map(({ id }) => id);
    expect(await forget(store, { path: "*.env" }, { dryRun: true })).toMatchObject({
      sessions: 1,
      records: 2,
    });
    expect(await forgotten()).toEqual([]);
    expect(await forget(store, { path: "*.env" })).toMatchObject({ records: 2, contents: 1 });
    expect(await forgotten()).toEqual(["content", "field"]);
    await forget(store, { beforeMs: 10 });
    expect(await forgotten()).toEqual(expect.arrayContaining(["content", "field", "old"]));
    expect(await forgotten()).not.toContain("new");
    expect(await forget(store, { path: "*.env" })).toMatchObject({ sessions: 0, records: 0 });
  });

  test("D2: forgetting never brings back what a later record had ended: a row says what its journal says, in whole or in part", async () => {
    const store = await open(make());
    const claimed = await begun(store);
    const { session, by } = claimed;
    const told = { attempt: 1, host: "h", boot: "b", pid_namespace: "n", pid: 1, started: 1, mark: "m" };
    const started = newRecord("agent.started", { ...told, command: ["a"], supervised: true, pty: false });
    await store.append(session, by, [
      { ...started, atMs: 5 },
      { ...newRecord("agent.exited", { attempt: 1, code: 0, signal: null, why: "exit" }), atMs: 50 },
    ]);
    await release(store, claimed);
    for (const selector of [{ beforeMs: 10 }, { session }]) {
      await forget(store, selector);
      expect((await store.session(session))?.facts.agent_process).toBeNull();
      expect((await checkStore(store)).damage).toEqual([]);
    }
  });

  test("T5: a long journal is erased in parts, each with a record that says so and whether more follows; its row says what its journal says after each", async () => {
    const store = await open(make());
    const claimed = await longSession(store, 1100);
    await release(store, claimed);
    const { forget: erase } = store.driver;
    const damage: unknown[] = [];
    store.driver.forget = async (change) => {
      const freed = await erase.call(store.driver, change);
      damage.push(...(await checkStore(store)).damage);
      return freed;
    };
    const result = await forget(store, { session: claimed.session });
    expect(result).toMatchObject({ sessions: 1, records: 1102, held: [] });
    const notes = (await journal(store, claimed.session)).filter(({ kind }) => kind === "forgotten");
    expect(notes.map(({ body }) => [body.records, body.under_way])).toEqual([
      [500, true],
      [500, true],
      [102, undefined],
    ]);
    expect(damage).toEqual([]);
    expect((await store.session(claimed.session))?.facts.goal).toBeNull();
    expect(await store.driver.orders()).toEqual([]);
  });

  test.each([
    ["forget", "forget.after-order", 0],
    ["forget", "forget.after-page", 500],
    ["forget", "forget.after-page#2", 1000],
    ["forget", "forget.before-clear", 1102],
    ["delete", "forget.after-page#2", 1000],
    ["delete", "forget.before-clear", 1102],
  ] as const)(
    "S6: a %s that was killed at %s is gone on with by the next that comes, to the end, and takes nothing that came later",
    async (how, at, erasedBefore) => {
      const place = make();
      const store = await open(place);
      const claimed = await longSession(store, 1100);
      const { session } = claimed;
      await release(store, claimed);
      const order =
        how === "forget"
          ? `import { forget } from "./store/forget.js"; await forget(store, { session: "${session}" });`
          : `import { deleteSession } from "./store/delete-session.js";
             await deleteSession(store, { session: "${session}", force: false, factFor: null });`;
      expect(await child(place, order, { REFLOAT_CRASH_AT: at }).ended()).toBe("SIGKILL");
      const records = await journal(store, session);
      expect(records.filter(({ isForgotten }) => isForgotten).length).toBe(erasedBefore);
      expect((await checkStore(store)).damage).toEqual([]);
      if (how === "forget") await store.append(session, "anyone", [inputQueued("later")]);
      expect(await finishErasures(store)).toEqual({ finished: 1, left: 0 });
      expect(await store.driver.orders()).toEqual([]);
      expect((await checkStore(store)).damage).toEqual([]);
      expect((await place.rawBytes()).includes(LONG)).toBe(false);
      if (how === "delete") {
        expect(await store.session(session)).toBeNull();
        return;
      }
      const after = await journal(store, session);
      expect(after.filter(({ isForgotten }) => isForgotten).length).toBe(1102);
      expect(after.find(({ kind }) => kind === "input.queued")?.isForgotten).toBe(false);
      expect(after.findLast(({ kind }) => kind === "forgotten")?.body.under_way).toBeUndefined();
      expect(await finishErasures(store)).toEqual({ finished: 0, left: 0 });
    },
  );

  test("K1: an erasing that was broken off leaves alone who took the session since, and waits for him; one that removes it is over then", async () => {
    const place = make();
    for (const how of ["forget", "delete"] as const) {
      const store = await open(place);
      const claimed = await longSession(store, 600);
      const { session } = claimed;
      await release(store, claimed);
      const order =
        how === "forget"
          ? `import { forget } from "./store/forget.js"; await forget(store, { session: "${session}" });`
          : `import { deleteSession } from "./store/delete-session.js";
             await deleteSession(store, { session: "${session}", force: false, factFor: null });`;
      await child(place, order, { REFLOAT_CRASH_AT: "forget.after-page" }).ended();
      await take2(store, claimed);
      await store.append(session, { attempt: 2 }, [decided("mine", "mine")]);
      expect(await finishErasures(store)).toEqual(
        how === "forget" ? { finished: 0, left: 1 } : { finished: 1, left: 0 },
      );
      expect((await store.recordById(session, "mine" as never))?.body.value).toBe("mine");
      await store.release(session, 2, []);
      await finishErasures(store);
      expect((await store.recordById(session, "mine" as never))?.isForgotten).toBe(false);
      expect(await store.driver.orders()).toEqual([]);
      await store.close();
    }
  });

  test("an order under way is written once, changed only by who saw it as it is, and dropped", async () => {
    const { driver } = await open(make());
    const order = { id: "o", text: JSON.stringify({ a: "\u0000'ä" }) };
    expect(await driver.putOrder(order, null)).toBe(true);
    expect(await driver.putOrder({ ...order, text: "other" }, null)).toBe(false);
    expect(await driver.putOrder({ ...order, text: "new" }, "not this")).toBe(false);
    expect(await driver.putOrder({ ...order, text: "new" }, order.text)).toBe(true);
    expect(await driver.orders()).toEqual([{ id: "o", text: "new" }]);
    await driver.dropOrder("o");
    expect(await driver.orders()).toEqual([]);
  });

  test("an order that names nothing, or two things, erases nothing", async () => {
    const store = await open(make());
    const claimed = await begun(store);
    await release(store, claimed);
    const orders = [{}, { reason: "r" }, { session: "" }, { path: "" }, { beforeMs: Number.NaN }];
    const two = { session: claimed.session, path: "*" };
    for (const order of [...orders, two, { session: undefined }])
      expect([order, await codeOf(forget(store, order as never))]).toEqual([order, "E_USAGE"]);
    expect((await journal(store, claimed.session)).some(({ isForgotten }) => isForgotten)).toBe(false);
  });

  test("D4: writing a forgotten record again is E_ID_REUSED and does not bring its text back", async () => {
    const place = make();
    const store = await open(place);
    const claimed = await begun(store);
    const marker = randomName();
    await store.append(claimed.session, claimed.by, [decided(marker, "r")]);
    await release(store, claimed);
    await forget(store, { session: claimed.session });
    await take2(store, claimed);
    expect(await codeOf(store.append(claimed.session, { attempt: 2 }, [decided(marker, "r")]))).toBe(
      "E_ID_REUSED",
    );
    expect((await place.rawBytes()).includes(marker)).toBe(false);
  });
}

const take2 = (store: Store, { session, owner }: Claimed) =>
  store.take({ session, seen: { attempt: 1, holder: null }, owner, nowMs: 1, thresholdMs: 1, records: [] });
