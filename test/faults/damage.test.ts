/** D5: a damaged page costs its rows. Whatever else is asked for is answered, and what cannot be is an error, never a wrong answer. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { systemClock } from "../../dist/platform/clock.js";
import { checkStore } from "../../dist/store/check.js";
import { salvageStore } from "../../dist/store/damage/salvage-store.js";
import {
  codeOf,
  decided,
  journal,
  open,
  type Place,
  type Store,
  sessionId,
  valuesOf,
} from "../conformance/harness.ts";
import { startChild } from "../support/child.ts";
import { closedStore, everything, upTo } from "../support/leftover-store.ts";
import { isFull, seed } from "../support/seed.ts";

const PAGE = 4096;
const TABLE_LEAF = 0x0d;
const TABLE_INNER = 0x05;
const S = sessionId("s");

/** Overwrites the first page of this kind that holds the text, and tells its number. */
function damagePage(place: Place, kind: number, holds: string): number {
  const bytes = readFileSync(place.url);
  for (let at = 0; at < bytes.length; at += PAGE) {
    const page = bytes.subarray(at, at + PAGE);
    if (page[0] !== kind || !page.includes(holds)) continue;
    page.fill(0xa5);
    writeFileSync(place.url, bytes);
    return at / PAGE + 1;
  }
  throw new Error("there is no such page");
}

async function values(store: Store, fromSeq: number, toSeq: number): Promise<unknown[]> {
  return (await store.records({ session: S, fromSeq, toSeq })).map(({ body }) => body.value);
}

test("D5: a damaged leaf page costs its rows: everything before and after it is read, over it reading is E_STORE_DAMAGED, and check says so", async () => {
  const place = await closedStore(300, 500);
  damagePage(place, TABLE_LEAF, "rec-0150");
  const store = await open(place);
  expect(await values(store, 2, 101)).toEqual(upTo(100));
  expect(await values(store, 202, 301)).toEqual(upTo(300).slice(200));
  expect(await valuesOf(store, sessionId("t"))).toEqual(upTo(5));
  expect(await codeOf(values(store, 2, 301))).toBe("E_STORE_DAMAGED");
  const { damage, sessions } = await checkStore(store);
  expect(sessions).toBe(2);
  expect(damage.some(({ kind }) => kind === "page")).toBe(true);
  expect(damage.every(({ where }) => !where.startsWith("t #"))).toBe(true);
  await store.append(sessionId("t"), { attempt: 1 }, [decided("goes on")]);
  expect((await valuesOf(store, sessionId("t"))).at(-1)).toBe("goes on");
});

test("D5: salvage of that store brings every row of every other page into a new one and names what is missing", async () => {
  const place = await closedStore(300, 500);
  damagePage(place, TABLE_LEAF, "rec-0150");
  const before = everything(place);
  const to = `${place.url}-salvaged`;
  const result = await salvageStore(place.url, { to, clock: systemClock });
  expect(everything({ ...place })).toEqual(expect.arrayContaining(before as unknown[]));
  const [lost] = result.lost;
  expect([result.lost.length, lost?.session, lost?.ranges.length]).toEqual([1, "s", 1]);
  const [first, last] = lost?.ranges[0] ?? [0, 0];
  expect(first).toBeLessThanOrEqual(152);
  expect(last).toBeGreaterThanOrEqual(152);
  expect(last - first).toBeLessThan(10);
  const store = await open({ ...place, url: to });
  const kept = (await journal(store, S))
    .filter(({ kind }) => kind === "decided")
    .map(({ body }) => Number(body.value));
  expect(kept).toEqual(upTo(300).filter((value) => value + 2 < first || value + 2 > last));
  expect((await checkStore(store)).damage).toEqual([]);
});

test("D5: a damaged root of the journal is E_STORE_DAMAGED with the command that helps, and the files stay as they are", async () => {
  const place = await closedStore(300, 500);
  const bytes = readFileSync(place.url);
  // Inner pages of the journal's table are the only ones of this kind in so small a store.
  for (let at = PAGE; at < bytes.length; at += PAGE)
    if (bytes[at] === TABLE_INNER) bytes.fill(0xa5, at, at + PAGE);
  writeFileSync(place.url, bytes);
  const database = readFileSync(place.url);
  const reading = async (): Promise<unknown> => valuesOf(await open(place), S);
  const thrown = await reading().catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: "E_STORE_DAMAGED", hint: expect.stringContaining("--salvage") });
  expect(readFileSync(place.url).equals(database)).toBe(true);
});

test("D5: a damaged first page is E_STORE_DAMAGED because the mark says whose it was, and nothing is changed", async () => {
  const place = await closedStore(20);
  const bytes = readFileSync(place.url);
  bytes.fill(0, 0, PAGE);
  writeFileSync(place.url, bytes);
  const before = everything(place);
  expect(await codeOf(open(place))).toBe("E_STORE_DAMAGED");
  expect(everything(place)).toEqual(before);
});

test("D5: whatever single byte is changed, what is read is right or marked as damaged or an error of the catalogue, and nothing crashes", async () => {
  const place = await closedStore(60, 200);
  const text = `
    import { openRawStore } from "./store/open-raw-store.js";
    import { checkStore } from "./store/check.js";
    import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
    const original = readFileSync(${JSON.stringify(place.url)});
    let state = ${seed};
    const random = (below) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % below; };
    const wrong = [];
    const seen = {};
    for (let round = 0; round < ${isFull ? 1000 : 100}; round++) {
      const bytes = Buffer.from(original);
      const at = random(bytes.length);
      bytes[at] ^= 1 + random(255);
      const folder = ${JSON.stringify(`${place.url}-fuzz-`)} + round;
      mkdirSync(folder, { mode: 0o700 });
      writeFileSync(folder + "/refloat.db", bytes, { mode: 0o600 });
      let how = "read";
      try {
        const store = await openRawStore(folder + "/refloat.db", { thread: false });
        let next = 1;
        for await (const record of store.journal("s")) {
          if (record.isDamaged) how = "marked";
          else if (record.seq > 1 && record.body.value !== record.seq - 2) wrong.push([at, record.seq]);
          if (!record.isDamaged && record.seq < next) wrong.push([at, "order"]);
          if (!record.isDamaged) next = record.seq + 1;
        }
        await checkStore(store);
        await store.close();
      } catch (thrown) {
        how = String(thrown.code);
        if (!how.startsWith("E_STORE_")) wrong.push([at, thrown.stack]);
      }
      seen[how] = (seen[how] ?? 0) + 1;
    }
    console.log(JSON.stringify({ wrong, seen }));`;
  const { wrong, seen } = (await startChild(text).said()) as {
    wrong: unknown[];
    seen: Record<string, number>;
  };
  console.log(`seed ${seed}:`, seen);
  expect(wrong).toEqual([]);
});
