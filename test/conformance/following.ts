/** `follow`: what is there, then what comes, until it is told to stop; in between it holds nothing (driver 6). */
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import {
  begun,
  child,
  decided,
  type MakePlace,
  open,
  type Place,
  type StoredRecord,
  sessionId,
} from "./harness.ts";

/** Reads `count` values from the stream, or all until it ends. */
async function valuesFrom(
  stream: AsyncGenerator<StoredRecord>,
  count = Number.POSITIVE_INFINITY,
): Promise<unknown[]> {
  const values: unknown[] = [];
  while (values.length < count) {
    const next = await stream.next();
    if (next.done) break;
    if (next.value.kind === "decided") values.push(next.value.body.value);
  }
  return values;
}

export function followLaws(make: MakePlace): void {
  test("a follower sees what is there from its first number on, then what comes, each record once and in order", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    for (let i = 2; i <= 5; i++) await store.append(session, by, [decided(i)]);
    const stream = store.follow(session, 4);
    expect(await valuesFrom(stream, 2)).toEqual([4, 5]);
    const coming = valuesFrom(stream, 600);
    const expected = Array.from({ length: 600 }, (_, i) => i + 6);
    for (const i of expected) void store.append(session, by, [decided(i)]);
    expect(await coming).toEqual(expected);
    await stream.return(undefined);
  });

  test("a follower of a session that is not there yet sees it from its first record on", async () => {
    const store = await open(make());
    const stream = store.follow(sessionId("later"));
    const first = stream.next();
    await begun(store, sessionId("later"));
    expect((await first).value).toMatchObject({ seq: 1, kind: "session.began" });
    await stream.return(undefined);
  });

  test("a follower sees what another process writes, and what an outsider queues", async () => {
    const place = make();
    const store = await open(place);
    await begun(store, sessionId("s"));
    const stream = store.follow(sessionId("s"), 2);
    const seen = [stream.next(), stream.next()];
    const writer = child(
      place,
      `await store.append("s", { attempt: 1 }, [record("decided", { key: "k", value: "from afar", reason: null, step: null })]);
       await store.append("s", "anyone", [record("input.queued", { input: "i", parts: [], from: null })]);
       say("done");`,
    );
    await writer.said();
    const records = (await Promise.all(seen)).map(({ value }) => value as StoredRecord);
    expect(records.map(({ seq, kind, attempt }) => [seq, kind, attempt])).toEqual([
      [2, "decided", 1],
      [3, "input.queued", null],
    ]);
    await stream.return(undefined);
  });

  test("a follower ends when its signal is aborted, before it began, while it waits, and between two records", async () => {
    const store = await open(make());
    const { session, by } = await begun(store);
    await store.append(session, by, [decided(1), decided(2)]);
    expect(await valuesFrom(store.follow(session, 1, AbortSignal.abort()))).toEqual([]);
    const waiting = new AbortController();
    const waiter = store.follow(session, 1, waiting.signal);
    expect(await valuesFrom(waiter, 2)).toEqual([1, 2]);
    const nothingMore = valuesFrom(waiter);
    waiting.abort();
    expect(await nothingMore).toEqual([]);
    const between = new AbortController();
    const stream = store.follow(session, 2, between.signal);
    expect(await valuesFrom(stream, 1)).toEqual([1]);
    between.abort();
    expect(await valuesFrom(stream)).toEqual([]);
  });

  test("followers end, and none of them fails, when the store is closed under them, wherever they are just then", async () => {
    for (let round = 0; round < 5; round++) {
      const store = await open(make());
      const { session, by } = await begun(store);
      const followers = Array.from({ length: 8 }, () => valuesFrom(store.follow(session)));
      for (let i = 0; i < round; i++) await store.append(session, by, [decided(i)]);
      await store.close();
      for (const values of await Promise.all(followers)) expect(values.length).toBeLessThanOrEqual(round);
    }
  });

  test("driver 6: while a follower waits nothing is held: another process can write and the log can be emptied", async () => {
    const place = make();
    const store = await open(place);
    const { session, by } = await begun(store, sessionId("s"));
    await store.append(session, by, [decided(1)]);
    const abort = new AbortController();
    const stream = store.follow(session, 1, abort.signal);
    expect(await valuesFrom(stream, 1)).toEqual([1]);
    const nothingMore = valuesFrom(stream);
    expect(await emptiesLog(place)).toBe(true);
    abort.abort();
    expect(await nothingMore).toEqual([]);
  });
}

/** From another process: whether the whole log can be copied away, which one open read would prevent. */
async function emptiesLog(place: Place): Promise<boolean> {
  const emptier = child(
    place,
    `await store.append("s", "anyone", [record("input.queued", { input: "i", parts: [], from: null })]);
     await store.driver.gc(0);
     say((await store.driver.info()).kind);`,
  );
  const kind = await emptier.said();
  if (kind === "postgres") return true; // each of its reads is one statement; the server empties its log by itself
  return statSync(`${place.url}-wal`).size === 0;
}
