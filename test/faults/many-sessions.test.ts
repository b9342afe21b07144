/** A store with more sessions than one call hands out. */
import { expect, test } from "vitest";
import { exportLines } from "../../dist/store/export.js";
import { openDatabase } from "../../dist/store/sqlite/load.js";
import { open } from "../conformance/harness.ts";
import { sqlitePlace } from "../conformance/places.ts";

test("T1: an export of all sessions leaves none out, however many there are", async () => {
  const place = sqlitePlace({ thread: false });
  const sessions = 100_001;
  await (await open(place)).close();
  const db = openDatabase(place.url);
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sessions})
    INSERT INTO sessions (id, facts, attempt, threshold_ms) SELECT printf('s%06d', i), '{}', 0, 0 FROM n`);
  db.close();
  let last = "";
  for await (const line of exportLines(await open(place), { raw: true })) last = line;
  expect(JSON.parse(last)).toEqual({ type: "end", sessions, records: 0 });
});
