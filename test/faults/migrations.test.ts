/** Migrations: forward only, all missing ones in one transaction; a kill in between leaves the old schema and every record. */
import { expect, test } from "vitest";
import { codeOf, open, sessionId, valuesOf } from "../conformance/harness.ts";
import { startChild } from "../support/child.ts";
import { closedStore, upTo } from "../support/leftover-store.ts";

/** Opens the file as the store does and brings it to a schema of three steps. */
const migrating = (path: string, third: string): string => `
  import { Connection } from "./store/sqlite/connection.js";
  import { MIGRATIONS, migrate } from "./store/sqlite/migrations.js";
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  // Waiting for the lock is the driver's, not the runner's: here whoever finds it taken tries again.
  const untilFree = (work) => {
    for (;;) {
      try { return work(); } catch (thrown) { if (thrown.name !== "StoreLocked") throw thrown; }
      Atomics.wait(waiting, 0, 0, 10);
    }
  };
  const connection = untilFree(() => new Connection(${JSON.stringify(path)}));
  const tables = () => connection.all("SELECT name FROM sqlite_schema WHERE name LIKE 'added%' ORDER BY name").map(({ name }) => name);
  const state = () => [connection.number("PRAGMA user_version"), ...tables()];
  const steps = [
    ...MIGRATIONS,
    { name: "0002-first", sql: "CREATE TABLE added_2 (x); INSERT INTO added_2 VALUES (1);" },
    ${third},
  ];
  let how = "done";
  try { untilFree(() => migrate(connection, steps)); } catch (thrown) { how = thrown.code ?? String(thrown); }
  console.log(JSON.stringify([how, ...untilFree(state)]));
  connection.close();`;

const FINE = `{ name: "0003-second", sql: "CREATE TABLE added_3 (x); INSERT INTO added_3 SELECT count(*) FROM records;" }`;
const WRONG = `{ name: "0003-second", sql: "CREATE TABLE added_3 (x); INSERT INTO nowhere VALUES (1);" }`;
// The step's text is asked for when the step before it has run.
const KILLED = `{ name: "0003-second", get sql() { console.log(JSON.stringify(state())); process.kill(process.pid, "SIGKILL"); for (;;); } }`;

test("all missing migrations run in order in one transaction, and running them again does nothing", async () => {
  const place = await closedStore(5);
  expect(await startChild(migrating(place.url, FINE)).said()).toEqual(["done", 3, "added_2", "added_3"]);
  expect(await startChild(migrating(place.url, FINE)).said()).toEqual(["done", 3, "added_2", "added_3"]);
});

test("a migration that fails takes back the ones before it, and the store is used as it was", async () => {
  const place = await closedStore(5);
  expect(await startChild(migrating(place.url, WRONG)).said()).toEqual(["E_STORE_DAMAGED", 1]);
  expect(await valuesOf(await open(place), sessionId("s"))).toEqual(upTo(5));
});

test("D1: a process killed between two migrations leaves the old schema and every record, and the next one does both", async () => {
  const place = await closedStore(5);
  const killed = startChild(migrating(place.url, KILLED));
  expect(await killed.said()).toEqual([1, "added_2"]);
  expect(await killed.ended()).toBe("SIGKILL");
  const store = await open(place);
  expect(await valuesOf(store, sessionId("s"))).toEqual(upTo(5));
  await store.close();
  expect(await startChild(migrating(place.url, FINE)).said()).toEqual(["done", 3, "added_2", "added_3"]);
  expect(await codeOf(open(place))).toBe("E_STORE_NEWER");
});

test("two processes that migrate at once both end with the new schema, and each step has run once", async () => {
  const place = await closedStore(5);
  const racers = [1, 2, 3].map(() => startChild(migrating(place.url, FINE)));
  const ends = await Promise.all(racers.map((racer) => racer.said()));
  for (const end of ends) expect(end).toEqual(["done", 3, "added_2", "added_3"]);
  expect(await startChild(migrating(place.url, FINE)).said()).toEqual(["done", 3, "added_2", "added_3"]);
});
