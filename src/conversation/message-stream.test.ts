import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { RefloatError } from "../model/errors.ts";
import { MAX_STREAM_BYTES } from "../model/limits.ts";
import type { Part } from "../model/parts.ts";
import { openRawStore } from "../store/open-raw-store.ts";
import type { Store } from "../store/store.ts";
import { beginSession } from "./begin.ts";
import type { Session } from "./session.ts";
import type { Turn } from "./turn.ts";

async function inTurn(): Promise<{ store: Store; session: Session; turn: Turn }> {
  const store = await openRawStore(join(temporaryFolder(), "refloat.db"), { thread: false });
  onTestFinished(() => store.close());
  const session = await beginSession(store, { id: "s", agent: "a", workspace: "/w" });
  return { store, session, turn: await session.turn("go") };
}

async function kinds(store: Store, prefix: string): Promise<string[]> {
  const records = await store.records({ session: "s" as never });
  return records.map(({ kind }) => kind).filter((kind) => kind.startsWith(prefix));
}

const lastMessage = (session: Session) => {
  const item = session.view("people").items.at(-1);
  return item?.kind === "message" ? item : null;
};

/** Makes the store refuse the next writes, as a full disk does. */
function fail(store: Store, times: number): void {
  const commit = store.driver.commit;
  let left = times;
  Object.assign(store.driver, {
    commit: (group: Parameters<typeof commit>[0]) =>
      left-- > 0 ? Promise.reject(new RefloatError("E_STORE_FULL")) : commit(group),
  });
}

test("C3: five hundred deltas are a handful of records and one message with one text", async () => {
  const { store, session, turn } = await inTurn();
  const stream = turn.message("assistant");
  const deltas = Array.from({ length: 500 }, (_, i) => `word${i} `);
  for (const [i, delta] of deltas.entries()) {
    stream.write(delta);
    if (i % 25 === 0) await new Promise(setImmediate);
  }
  await stream.end();
  expect((await kinds(store, "message.")).length).toBeLessThan(20);
  expect(lastMessage(session)).toMatchObject({
    id: stream.id,
    state: "final",
    parts: [{ type: "text", text: deltas.join("") }],
  });
  expect(session.view("people").items).toHaveLength(2);
});

test("C3: much text is flushed by its size, without waiting for the clock, and comes together exactly", async () => {
  const { store, session, turn } = await inTurn();
  const stream = turn.message("assistant");
  const block = "0123456789abcdef".repeat(256);
  for (let i = 0; i < 64; i++) {
    stream.write(block);
    await new Promise(setImmediate);
  }
  await stream.flushed();
  expect((await kinds(store, "message.grew")).length).toBeGreaterThanOrEqual(4);
  expect(lastMessage(session)).toMatchObject({
    state: "open",
    parts: [{ type: "text", text: block.repeat(64) }],
  });
  await stream.end();
});

test("C3: what was flushed when its writer gave up or was lost is kept and marked cut off", async () => {
  const { store, session, turn } = await inTurn();
  const given = turn.message("assistant");
  given.write("as far as it came");
  await given.cutOff();
  expect(lastMessage(session)).toMatchObject({
    state: "cut-off",
    parts: [{ type: "text", text: "as far as it came" }],
  });
  const lost = turn.message("assistant");
  lost.write("flushed ");
  await lost.flushed();
  lost.write("and not flushed");
  // Another process finds the owner dead; the stream above is never ended.
  const next = await beginSession(store, {
    id: "s",
    agent: "a",
    workspace: "/w",
    liveness: () => ({ kind: "dead", because: "no-such-process" }),
  });
  expect(next.recovered).toMatchObject({ messages: [lost.id], turns: [turn.id] });
  expect(lastMessage(next)).toMatchObject({
    id: lost.id,
    state: "cut-off",
    parts: [{ type: "text", text: "flushed " }],
  });
  await expect(lost.end()).rejects.toMatchObject({ code: "E_FENCED" });
});

test("an ended message takes nothing more and is not ended twice", async () => {
  const { turn } = await inTurn();
  const stream = turn.message("assistant");
  await stream.end();
  expect(() => stream.write("late")).toThrow(expect.objectContaining({ code: "E_CLOSED" }));
  await expect(stream.end()).rejects.toMatchObject({ code: "E_CLOSED" });
  await expect(stream.cutOff()).rejects.toMatchObject({ code: "E_CLOSED" });
});

test("a message in a turn that is over cannot be streamed, and says so where somebody waits", async () => {
  const { turn } = await inTurn();
  await turn.end("completed");
  const stream = turn.message("assistant");
  stream.write("nobody will see this");
  await expect(stream.flushed()).rejects.toMatchObject({ code: "E_NOT_OPEN" });
  await expect(stream.end()).rejects.toMatchObject({ code: "E_NOT_OPEN" });
});

test("D6: a flush that failed is told to the next write, and flushing again saves what it held, once and in order", async () => {
  const { store, session, turn } = await inTurn();
  const stream = turn.message("assistant");
  stream.write("one ");
  await stream.flushed();
  fail(store, 1);
  stream.write("two ");
  await expect(stream.flushed()).rejects.toMatchObject({ code: "E_STORE_FULL" });
  expect(() => stream.write("lost?")).toThrow(expect.objectContaining({ code: "E_STORE_FULL" }));
  await stream.flushed();
  stream.write("three");
  fail(store, 2);
  await expect(stream.end()).rejects.toMatchObject({ code: "E_STORE_FULL" });
  await expect(stream.end()).rejects.toMatchObject({ code: "E_STORE_FULL" });
  await stream.end();
  expect(lastMessage(session)).toMatchObject({
    state: "final",
    parts: [{ type: "text", text: "one two three" }],
  });
  expect(await kinds(store, "message.ended")).toHaveLength(1);
});

test("D4: a save whose answer got lost is sent again as the same record, so that no text is there twice", async () => {
  const { store, session, turn } = await inTurn();
  const stream = turn.message("assistant");
  const commit = store.driver.commit;
  let losses = 2;
  Object.assign(store.driver, {
    commit: async (group: Parameters<typeof commit>[0]) => {
      const outcomes = await commit(group);
      if (losses-- > 0) throw new RefloatError("E_STORE_LOST");
      return outcomes;
    },
  });
  stream.write("said once");
  for (let i = 0; i < 2; i++) await expect(stream.flushed()).rejects.toMatchObject({ code: "E_STORE_LOST" });
  await stream.end();
  expect(lastMessage(session)).toMatchObject({
    state: "final",
    parts: [{ type: "text", text: "said once" }],
  });
});

test("what could never be saved is refused where it is written, and does not spoil the message", async () => {
  const { session, turn } = await inTurn();
  const stream = turn.message("assistant");
  stream.write("good");
  const bad: [unknown, string][] = [
    [{ type: "x", n: 1n }, "E_NOT_JSON"],
    [{ type: "x", n: Number.NaN }, "E_NOT_JSON"],
    [{}, "E_BAD_RECORD"],
    [null, "E_BAD_RECORD"],
  ];
  for (const [part, code] of bad)
    expect(() => stream.write(part as Part)).toThrow(expect.objectContaining({ code }));
  const most = "x".repeat(MAX_STREAM_BYTES - 4);
  expect(() => stream.write(`${most}y`)).toThrow(expect.objectContaining({ code: "E_TOO_LARGE" }));
  stream.write({ type: "media", media_type: "image/png", data: "AA==" });
  await stream.end();
  expect(lastMessage(session)?.parts).toEqual([
    { type: "text", text: "good" },
    { type: "media", media_type: "image/png", data: "AA==" },
  ]);
});
