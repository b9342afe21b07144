/** D7: a log that somebody else cut off or took away is noticed by the mark where it can be, and never taken for the whole. */
import {
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { expect, test } from "vitest";
import { codeOf, decided, open, type Place, sessionId, valuesOf } from "../conformance/harness.ts";
import { closedStore, everything, killedStore, upTo } from "../support/leftover-store.ts";

const S = sessionId("s");
const wal = (place: Place): string => `${place.url}-wal`;

test.each([
  ["taken away", (place: Place) => rmSync(wal(place))],
  ["cut to nothing", (place: Place) => truncateSync(wal(place), 0)],
  ["cut in half", (place: Place) => truncateSync(wal(place), statSync(wal(place)).size / 2)],
  [
    "changed by one bit",
    (place: Place) => {
      const bytes = readFileSync(wal(place));
      const at = Math.floor(bytes.length * 0.3);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(wal(place), bytes);
    },
  ],
])(
  "D7: a log that was %s is E_STORE_TAIL_LOST; accepted, the rest is used, the loss stays known, and work goes on",
  async (_how, spoil) => {
    const place = await killedStore(40);
    spoil(place);
    rmSync(`${place.url}-shm`, { force: true });
    const mark = readFileSync(`${place.url}-mark`, "utf8");
    const thrown = await open(place).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "E_STORE_TAIL_LOST", data: { session: "s", expected: 41 } });
    expect(await codeOf(open({ ...place, options: { thread: true } }))).toBe("E_STORE_TAIL_LOST");
    expect(readFileSync(`${place.url}-mark`, "utf8")).toBe(mark);
    const store = await open(place, { acceptLoss: true });
    const found = await valuesOf(store, S);
    expect(found.length).toBeLessThan(40);
    expect(found).toEqual(upTo(found.length));
    const { losses } = await store.driver.info();
    expect(losses).toMatchObject([{ session: "s", expected: 41 }]);
    await store.close();
    const again = await open(place);
    expect(await valuesOf(again, S)).toEqual(found);
    expect((await again.driver.info()).losses).toEqual(losses);
  },
);

test("D7: a store put back from an older copy is E_STORE_TAIL_LOST, and so is another store in its place", async () => {
  const [older, newer] = [await closedStore(5), await closedStore(5)];
  const kept = `${older.url}-kept`;
  copyFileSync(older.url, kept);
  const store = await open(older);
  await store.append(sessionId("t"), { attempt: 1 }, [decided("newer")]);
  await store.driver.gc(0);
  await store.close();
  copyFileSync(kept, newer.url); // its mark speaks of another store
  rmSync(wal(newer), { force: true });
  expect(await codeOf(open(newer))).toBe("E_STORE_TAIL_LOST");
  const place = await closedStore(5);
  const copy = readFileSync(place.url);
  const writer = await open(place);
  await writer.append(sessionId("t"), { attempt: 1 }, [decided("newer")]);
  await writer.close();
  const mark = readFileSync(`${place.url}-mark`);
  const restored = { ...place, url: `${place.url}.d/refloat.db` };
  await (await open(restored)).close();
  for (const beside of ["-wal", "-shm"]) rmSync(restored.url + beside, { force: true });
  rmSync(restored.url);
  writeFileSync(restored.url, copy, { mode: 0o600 });
  writeFileSync(`${restored.url}-mark`, mark);
  expect(await codeOf(open(restored))).toBe("E_STORE_TAIL_LOST");
});

test("D7: without a mark a cut log cannot be noticed; what is read is still a true beginning of the journal", async () => {
  const place = await killedStore(40);
  rmSync(`${place.url}-mark`);
  rmSync(`${place.url}-shm`, { force: true });
  truncateSync(wal(place), statSync(wal(place)).size / 2);
  const found = await valuesOf(await open(place), S);
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(40);
  expect(found).toEqual(upTo(found.length));
});

test("D1: a log without its shared memory file, or with one of somebody's old run, is read whole", async () => {
  const place = await killedStore(40);
  const old = readFileSync(`${place.url}-shm`);
  rmSync(`${place.url}-shm`);
  const files = everything(place);
  expect(files).toHaveLength(3);
  writeFileSync(`${place.url}-shm`, old.fill(0x5a), { mode: 0o600 });
  const store = await open(place);
  expect(await valuesOf(store, S)).toEqual(upTo(40));
  expect(existsSync(wal(place))).toBe(true);
});

test("D7: a mark that cannot be understood is no evidence of a loss", async () => {
  const place = await closedStore(5);
  for (const text of ["", "{", '{"store":1}', "null", '{"store":"x","heads":[["s"]]}']) {
    writeFileSync(`${place.url}-mark`, text);
    const store = await open(place);
    expect(await valuesOf(store, S)).toEqual(upTo(5));
    await store.close();
  }
});
