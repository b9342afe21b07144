/** What others do in the middle of a reading: contents that are forgotten or collected then are gone, not damaged. */
import { expect, test } from "vitest";
import { checkStore } from "../../dist/store/check.js";
import { exportLines } from "../../dist/store/export.js";
import { forget } from "../../dist/store/forget.js";
import { importLines } from "../../dist/store/import.js";
import { begun, decided, journal, newRecord, open, type Store, whole } from "../conformance/harness.ts";
import { sqlitePlace } from "../conformance/places.ts";

/** A session that is given back, with a body that lies in the contents and a file of two chunks. */
async function filled(): Promise<{ store: Store; session: Awaited<ReturnType<typeof begun>>["session"] }> {
  const store = await open(sqlitePlace({ thread: false }));
  const { session, by } = await begun(store);
  const { hash } = await store.putContent(Buffer.alloc(1_500_000, "f"));
  await store.append(session, by, [decided("x".repeat(400_000))]);
  await store.append(session, by, [{ ...decided("names a file"), contents: [{ hash, path: "/f" }] }]);
  await store.release(session, 1, [newRecord("claim.released", { attempt: 1 })]);
  return { store, session };
}

/** Runs `work` the first time the driver is asked this, between the question and the answer. */
function before(store: Store, method: "readContent" | "readChunk", work: () => Promise<unknown>): void {
  const ask = store.driver[method] as (hash: string) => Promise<unknown>;
  let isDone = false;
  Object.assign(store.driver, {
    [method]: async (hash: string) => {
      if (!isDone) {
        isDone = true;
        await work();
      }
      return ask(hash);
    },
  });
}

test("D5: a large body that is forgotten while it is read comes out as forgotten, never as damaged", async () => {
  const { store, session } = await filled();
  before(store, "readContent", () => forget(store, { session }));
  const [record] = await store.records({ session, fromSeq: 2, toSeq: 2 });
  expect(record).toMatchObject({ isForgotten: true, isDamaged: false });
});

test("T1: a check of a store in which contents are forgotten at that moment finds no damage", async () => {
  for (const method of ["readContent", "readChunk"] as const) {
    const { store, session } = await filled();
    before(store, method, () => forget(store, { session }));
    expect((await checkStore(store)).damage).toEqual([]);
  }
});

test("T1: a check of a store in which contents are collected between their listing and their reading finds no damage", async () => {
  const store = await open(sqlitePlace({ thread: false }));
  await begun(store);
  await store.putContent(Buffer.alloc(1_500_000, "f"));
  const list = store.driver.listContents;
  Object.assign(store.driver, {
    listContents: async (...asked: Parameters<typeof list>) => {
      const page = await list(...asked);
      await store.driver.gc(Number.MAX_SAFE_INTEGER);
      return page;
    },
  });
  expect((await checkStore(store)).damage).toEqual([]);
});

test("T1: an export of a session that is forgotten at that moment can be imported", async () => {
  const { store, session } = await filled();
  const lines: string[] = [];
  for await (const line of exportLines(store, { raw: true })) {
    lines.push(line);
    if (line.includes('"type":"chunk"')) await forget(store, { session });
  }
  const to = await open(sqlitePlace({ thread: false }));
  const result = await importLines(
    to,
    (async function* () {
      yield* lines;
    })(),
  );
  expect(result.conflicts).toEqual([]);
  expect((await journal(to, session)).length).toBeGreaterThan(3);
});

test("D1: bytes that are put again where they lie damaged are whole again: what is acknowledged can be read", async () => {
  const place = sqlitePlace({ thread: false });
  const store = await open(place);
  const bytes = Buffer.from("abcdefgh");
  const { hash } = await store.putContent(bytes);
  await place.damageChunk(hash);
  await store.putContent(bytes);
  expect((await whole(store, hash)).toString()).toBe("abcdefgh");
});
