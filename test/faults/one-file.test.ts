/**
 * Several connections to one file, in one process and in several. SQLite keeps them apart by locks of the
 * process and by a shared memory file; both can be spoilt from outside, and then two writers overwrite each other.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { forget } from "../../dist/store/forget.js";
import { begun, child, decided, newRecord, open, sessionId, valuesOf } from "../conformance/harness.ts";
import { sqlitePlace } from "../conformance/places.ts";
import { startChild } from "../support/child.ts";

/** The locks this process has on the file, as the kernel tells them. */
function locksOn(path: string): string[] {
  const inode = `:${statSync(path).ino} `;
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .filter((line) => line.includes(` ${process.pid} `) && line.includes(inode));
}

const append = (session: string, attempt: number, value: string): string =>
  `await store.append("${session}", { attempt: ${attempt} }, [record("decided", { key: "k", value: "${value}", reason: null, step: null })]);`;

test("D1: the process that made the store and one that opened it later see each other's records and overwrite none", async () => {
  const place = sqlitePlace({ thread: false });
  const maker = await open(place);
  const { session, by } = await begun(maker, sessionId("s"));
  const other = child(
    place,
    `process.stdin.on("data", async (line) => { ${append("s", 1, "other")} say("done"); }); say("ready");`,
  );
  await other.said();
  for (let round = 0; round < 5; round++) {
    await maker.append(session, by, [decided("maker")]);
    other.write("go");
    expect(await other.said()).toBe("done");
  }
  const expected = Array.from({ length: 5 }, () => ["maker", "other"]).flat();
  expect(await valuesOf(maker, session)).toEqual(expected);
  await other.kill();
  expect(await valuesOf(await open(place), session)).toEqual(expected);
});

test.each([
  ["on its own thread", { thread: true }],
  ["on the caller's thread", { thread: false }],
])(
  "D1: opening a store a second time in one process, %s, drops none of the locks that keep another program from deleting its log",
  async (_how, options) => {
    const place = sqlitePlace({ thread: false });
    const store = await open(place);
    await begun(store);
    const before = locksOn(place.url);
    expect(before).toHaveLength(1);
    const second = await open({ ...place, options });
    expect(locksOn(place.url)).toHaveLength(1);
    await second.close();
    expect(locksOn(place.url)).toHaveLength(1);
  },
);

test("D2: forget is not done before the log is empty: while another program still reads it, it waits", async () => {
  const place = sqlitePlace({ thread: false });
  const store = await open(place);
  const claimed = await begun(store);
  await store.append(claimed.session, claimed.by, [decided("a secret")]);
  await store.release(claimed.session, 1, [newRecord("claim.released", { attempt: 1 })]);
  const reader = startChild(`import { openDatabase } from "./store/sqlite/load.js";
    const db = openDatabase(${JSON.stringify(place.url)});
    db.exec("BEGIN; SELECT count(*) FROM records");
    console.log('"reading"'); process.stdin.once("data", () => { db.exec("COMMIT"); console.log('"done"'); });`);
  expect(await reader.said()).toBe("reading");
  let isDone = false;
  const forgetting = forget(store, { session: claimed.session }).then(() => {
    isDone = true;
  });
  while (!(await store.records({ session: claimed.session, fromSeq: 2, limit: 1 }))[0]?.isForgotten)
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await place.rawBytes()).includes("a secret")).toBe(true);
  expect(isDone).toBe(false);
  reader.write("go on");
  await forgetting;
  expect((await place.rawBytes()).includes("a secret")).toBe(false);
});

test("a store that was closed in one process is closed for the next: its file can be moved away and put back with all its records", async () => {
  const place = sqlitePlace({ thread: false });
  const store = await open(place);
  const { session, by } = await begun(store);
  await store.append(session, by, [decided("kept")]);
  await store.close();
  const elsewhere = join(dirname(dirname(place.url)), "elsewhere");
  mkdirSync(elsewhere);
  execFileSync("sh", ["-c", 'mv "$1"/* "$2"/', "sh", dirname(place.url), elsewhere]);
  const moved = { ...place, url: join(elsewhere, "refloat.db") };
  const again = await open(moved);
  expect(await valuesOf(again, session)).toEqual(["kept"]);
});

test("two processes that make the store at the same moment both use the one that was made, and no half-made file is left", async () => {
  for (let round = 0; round < 4; round++) {
    const place = sqlitePlace({ thread: false });
    mkdirSync(dirname(place.url), { mode: 0o700 });
    const start = join(dirname(dirname(place.url)), "start");
    const racers = ["a", "b", "c"].map((name) => {
      // Waits for the start before it opens: the import of the store is what takes the time.
      const text = `import "./store/sqlite/driver.js";
        import { openRawStore } from "./store/open-raw-store.js";
        import { takeClaim } from "./session/claims.js"; import { selfOwner } from "./platform/identity.js";
        import { existsSync } from "node:fs";
        console.log('"waiting"');
        while (!existsSync(${JSON.stringify(start)}));
        const store = await openRawStore(${JSON.stringify(place.url)}, { thread: false });
        await takeClaim(store, { session: "${name}", owner: selfOwner(), records: () => [] });
        console.log('"done"'); await store.close();`;
      return startChild(text);
    });
    for (const racer of racers) expect(await racer.said()).toBe("waiting");
    writeFileSync(start, "");
    for (const racer of racers) expect(await racer.said()).toBe("done");
    for (const racer of racers) expect(await racer.ended()).toBe(0);
    const store = await open(place);
    expect((await store.sessions()).map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(readdirSync(dirname(place.url)).filter((name) => name.includes(".new-"))).toEqual([]);
  }
});
