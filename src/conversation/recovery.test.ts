/** A session can always be taken up again, whatever its owner left open and whatever the ids in it are (C4, L2). */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { SessionId } from "../model/ids.ts";
import type { Liveness } from "../model/owner.ts";
import { recoverSessions as recoverAll, recoveredIn } from "../recover/recover-sessions.ts";
import { newRecord } from "../session/new-record.ts";
import { openRawStore } from "../store/open-raw-store.ts";
import type { Store } from "../store/store.ts";
import { type BeginOptions, beginSession } from "./begin.ts";

const S = "s" as SessionId;
const OPTIONS: BeginOptions = { id: "s", agent: "a", workspace: "/w" };
const DEAD = { liveness: (): Liveness => ({ kind: "dead", because: "no-such-process" }) };

async function opened(): Promise<Store> {
  const store = await openRawStore(join(temporaryFolder(), "refloat.db"), { thread: false });
  onTestFinished(() => store.close());
  return store;
}

const recoverHere = async (of: Store) =>
  recoveredIn(await recoverAll(of, { env: {}, home: "/nonexistent", workspaceAt: () => null }));

test("a call and a message with ids as long as ids may be are started, ended and recovered like others", async () => {
  const store = await opened();
  const long = (letter: string): string => letter.repeat(200);
  const session = await beginSession(store, OPTIONS);
  const queued = await session.enqueue("input", { id: long("i") });
  expect((await session.queue()).map(({ parts }) => parts)).toEqual([[{ type: "text", text: "input" }]]);
  const turn = await session.turn(queued);
  const call = await turn.call({ id: long("c"), tool: "t", input: {} });
  await call.result("done");
  await turn.call({ id: long("d"), tool: "t", input: {} });
  const stream = turn.message("assistant", { id: long("m") });
  stream.write("x");
  await stream.end();
  await turn.message("assistant", { id: long("n") }).flushed();
  await expect(turn.call({ id: `${long("c")}c`, tool: "t", input: {} })).rejects.toMatchObject({
    code: "E_BAD_ID",
  });
  const next = await beginSession(store, { ...OPTIONS, ...DEAD });
  expect(next.recovered).toMatchObject({ calls: [long("d")], messages: [long("n")] });
  const [input] = next.view("people").items;
  expect(input).toMatchObject({ role: "user", parts: [{ type: "text", text: "input" }] });
});

test("C4: more open calls than one change may have records are all closed in the step that takes the claim", async () => {
  const store = await opened();
  const session = await beginSession(store, OPTIONS);
  const turn = await session.turn("go");
  await Promise.all(Array.from({ length: 1500 }, (_, i) => turn.call({ id: `c${i}`, tool: "t", input: {} })));
  const next = await beginSession(store, { ...OPTIONS, ...DEAD });
  expect(next.recovered?.calls).toHaveLength(1500);
  expect(await store.open(S)).toEqual([]);
});

test("C4: a call id that was used before, and ended then, does not keep the session from being recovered", async () => {
  const store = await opened();
  const session = await beginSession(store, OPTIONS);
  const turn = await session.turn("go");
  const call = await turn.call({ id: "c", tool: "t", input: {} });
  await call.result("first");
  const body = { call: "c", turn: turn.id, tool: "t", input: {}, effect: "unknown" as const };
  await store.append(S, { attempt: 1 }, [newRecord(store.clock, "call.started", body)]);
  const next = await beginSession(store, { ...OPTIONS, ...DEAD });
  expect(next.recovered?.calls).toEqual(["c"]);
  const results = next
    .view("people")
    .items.flatMap((item) => (item.kind === "call" ? [item.result?.status] : []));
  expect(results).toEqual(["done", "unknown-outcome"]);
});

test("an input queued by somebody else, under a record id of their own, is in the queue with its words", async () => {
  const store = await opened();
  const session = await beginSession(store, OPTIONS);
  const body = { input: "i", parts: [{ type: "text" as const, text: "from afar" }], from: "them" };
  await store.append(S, "anyone", [newRecord(store.clock, "input.queued", body, "their own id")]);
  const [queued] = await session.queue();
  expect(queued).toMatchObject({ id: "i", from: "them", parts: [{ type: "text", text: "from afar" }] });
});

test("L2: each dirty end found is counted, progress resets the count, and a clean end with a call left open is none", async () => {
  const store = await opened();
  const count = async (): Promise<unknown> => (await store.session(S))?.facts.dirty_ends;
  await (await beginSession(store, OPTIONS)).turn("one");
  await (await beginSession(store, { ...OPTIONS, ...DEAD })).turn("two");
  expect(await count()).toBe(1);
  const third = await beginSession(store, { ...OPTIONS, ...DEAD });
  expect(await count()).toBe(2);
  const turn = await third.turn("three");
  await turn.end("completed");
  expect(await count()).toBe(0);
  const failed = await third.turn("four");
  await failed.call({ tool: "t", input: {} });
  await failed.end("failed");
  await third.finish();
  const fourth = await beginSession(store, { ...OPTIONS, ...DEAD });
  expect(fourth.recovered?.calls).toHaveLength(1);
  expect(await count()).toBe(0);
});

test("recovering all sessions closes what those left open whose owner is dead, once, and leaves live, idle and finished ones alone", async () => {
  const store = await opened();
  const live = await beginSession(store, { ...OPTIONS, id: "live" });
  await live.turn("mine");
  const idle = await beginSession(store, { ...OPTIONS, id: "idle" });
  await idle.enqueue("waits");
  await idle.release();
  const dead = await beginSession(store, {
    ...OPTIONS,
    id: "dead",
    owner: { host: "h", boot: "b", pid_namespace: "n", pid: 1, started: 1, instance: "i" },
    thresholdMs: 0,
  });
  await dead.turn("left");
  const found = await Promise.all([recoverHere(store), recoverHere(store)]);
  expect(found.flat()).toMatchObject([{ session: "dead", cause: "lost" }]);
  expect(await recoverHere(store)).toEqual([]);
  expect((await store.session("live" as SessionId))?.claim.attempt).toBe(1);
  expect((await store.open("idle" as SessionId)).map(({ what }) => what)).toEqual(["input"]);
});

test("a session's window holds its last messages and says that more lie before; a window of none holds none", async () => {
  const store = await opened();
  const session = await beginSession(store, OPTIONS);
  const queued = await session.enqueue("early input");
  const turn = await session.turn("go");
  for (let i = 0; i < 30; i++) await turn.append({ role: "assistant", parts: `m${i}` });
  await turn.take(queued);
  await turn.end("completed");
  await session.release();
  const texts = async (window?: number): Promise<[unknown[], number | null]> => {
    const again = await beginSession(store, window === undefined ? OPTIONS : { ...OPTIONS, window });
    const view = again.view("people");
    await again.release();
    return [
      view.items.map((item) => (item.kind === "message" ? item.parts[0]?.text : item.id)),
      view.earlier,
    ];
  };
  expect(await texts(3)).toEqual([["m28", "m29", "early input"], null]);
  expect((await texts())[0]).toHaveLength(32);
  expect((await texts())[1]).toBe(0);
  expect(await texts(0)).toEqual([[], null]);
});
