import postgres from "postgres";
import { afterEach, expect, onTestFinished, test } from "vitest";
import {
  appendOf,
  asSession,
  contentOf,
  rawRecord,
  refusalOf,
  takeOf,
} from "../../../test/support/changes.ts";
import { manualClock } from "../../../test/support/manual-clock.ts";
import { freshSchema, startServer } from "../../../test/support/postgres.ts";
import { UNNAMED_CONTENT_GRACE_MS } from "../../model/limits.ts";
import { type Clock, systemClock } from "../../platform/clock.ts";
import type { ContentRow, Driver, RawNewRecord } from "../contract/driver.ts";
import { rowChecksum } from "../contract/row-checksum.ts";
import { openPostgresDriver } from "./driver.ts";

const opened: Driver[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((driver) => driver.close()));
});

/** Short waits are over at once: for what happens when somebody else does not end in time. Deadlines stay. */
const impatientClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms <= SHORT_WAIT_MS ? 1 : ms, signal),
};
const SHORT_WAIT_MS = 100;

const s1 = asSession("s1");
const one = { attempt: 1 };

async function openWithSession(place = freshSchema()): Promise<Driver> {
  const driver = await openPostgresDriver({ ...place, clock: systemClock });
  opened.push(driver);
  await driver.commit([takeOf(s1, "me")]);
  return driver;
}

const naming = (id: string, ...rows: ContentRow[]): RawNewRecord =>
  rawRecord(id, {}, { contents: rows.map(({ hash }) => ({ hash, path: `dir/${id}\u0000` })) });

async function put(driver: Driver, text: string, nowMs: number): Promise<ContentRow> {
  const { row, chunk } = contentOf(text);
  await driver.putChunks([chunk], row, nowMs);
  return row;
}

test("C1: a record that names a content the store does not hold is refused, be it a file or its own spilled body", async () => {
  const driver = await openWithSession();
  const { row } = contentOf("never put");
  const spilled = rawRecord("spilled", {}, { spilled: row.hash });
  const outcomes = await driver.commit([appendOf(s1, one, naming("file", row)), appendOf(s1, one, spilled)]);
  expect(outcomes.map(refusalOf)).toEqual(Array(2).fill({ kind: "content-missing", hash: row.hash }));
  expect(await driver.readRecords({ session: s1 })).toEqual([]);

  await put(driver, "never put", 0);
  await driver.commit([appendOf(s1, one, naming("file", row), spilled)]);
  expect(await driver.readRefs(s1, 1, 9)).toEqual([
    { hash: row.hash, seq: 1, path: "dir/file\u0000" },
    { hash: row.hash, seq: 2, path: null },
  ]);
});

test("contents come back byte for byte, page by page; one with a missing chunk is refused and leaves nothing", async () => {
  const driver = await openWithSession();
  const [one, two, odd] = [contentOf("one"), contentOf("two"), contentOf("\u0000ü")];
  const chunks = [one, two, odd, one].map(({ row }) => row.hash);
  const whole = { ...contentOf("onetwo\u0000üone").row, bytes: 12, chunks };
  await expect(driver.putChunks([one.chunk, two.chunk], whole, 0)).rejects.toMatchObject({
    code: "E_NO_CONTENT",
    data: { hash: odd.row.hash },
  });
  expect(await driver.hasChunks(whole.chunks)).toEqual([]);
  await driver.putChunks([one.chunk, two.chunk, odd.chunk], whole, 0);
  expect(await driver.readContent(whole.hash)).toEqual(whole);
  expect(Buffer.from((await driver.readChunk(odd.row.hash)) ?? [])).toEqual(Buffer.from("\u0000ü"));
  expect(await driver.hasChunks(whole.chunks)).toEqual(whole.chunks);

  const empty = await put(driver, "", 0);
  await driver.putChunks([], { ...empty, chunks: [] }, 0);
  const [low, high] = whole.hash < empty.hash ? [whole.hash, empty.hash] : [empty.hash, whole.hash];
  expect((await driver.listContents(null, 1)).map(({ hash }) => hash)).toEqual([low]);
  expect((await driver.listContents(low, 9)).map(({ hash }) => hash)).toEqual([high]);
});

test("gc drops what no record names and nobody put lately, and never a chunk that another content is made of", async () => {
  const place = freshSchema();
  const clock = manualClock(UNNAMED_CONTENT_GRACE_MS);
  const driver = await openPostgresDriver({ ...place, clock });
  opened.push(driver);
  await driver.commit([takeOf(s1, "me")]);
  const [named, unnamed, fresh] = [
    await put(driver, "named", 0),
    await put(driver, "unnamed", 0),
    await put(driver, "fresh", 900),
  ];
  const shared = { ...contentOf("whole").row, chunks: [unnamed.hash, fresh.hash] };
  await driver.putChunks([], shared, 0);
  await driver.commit([appendOf(s1, one, naming("a", named), naming("b", shared))]);
  const asked = contentOf("asked for");
  const loose = contentOf("left by a killed writer");
  await driver.putChunks([asked.chunk, loose.chunk], null, 0);
  expect(await driver.hasChunks([asked.row.hash])).toEqual([asked.row.hash]);

  expect(await driver.unnamed(500)).toEqual({ contents: 1, bytes: loose.chunk.bytes.byteLength });
  expect(await driver.gc(500)).toEqual({ contents: 1, bytes: loose.chunk.bytes.byteLength });
  expect(await driver.readContent(unnamed.hash)).toBeNull();
  expect(await driver.readChunk(unnamed.hash)).not.toBeNull();
  expect(await driver.readContent(named.hash)).toEqual(named);
  expect(await driver.readContent(fresh.hash)).toEqual(fresh);
  expect(await driver.hasChunks([asked.row.hash, loose.row.hash])).toEqual([asked.row.hash]);
  expect(await driver.gc(500)).toEqual({ contents: 0, bytes: 0 });
  expect(await driver.checkEngine()).toEqual([]);
});

test("gc and a record that names the same content at the same moment: either the record is refused or the content stays", async () => {
  const place = freshSchema();
  const driver = await openWithSession(place);
  const other = await openPostgresDriver({ ...place, clock: systemClock });
  opened.push(other);
  let kept = 0;
  for (let round = 0; round < 60; round++) {
    const row = await put(driver, `content ${round}`, 0);
    const change = appendOf(s1, one, naming(`r${round}`, row));
    const [[outcome]] = await Promise.all([driver.commit([change]), other.gc(1000)]);
    if (outcome?.kind === "done") kept++;
    const isHeld =
      (await driver.readContent(row.hash)) !== null && (await driver.readChunk(row.hash)) !== null;
    expect(isHeld, `round ${round}`).toBe(outcome?.kind === "done");
  }
  expect(await driver.checkEngine()).toEqual([]);
  expect((await driver.readSession(s1))?.head).toBe(kept);
});

test("D2: forget leaves the shape, a valid checksum and a note, and the bytes are in none of the tables' files", async () => {
  const place = freshSchema();
  const driver = await openWithSession(place);
  const sql = postgres(place.url, { max: 1 });
  onTestFinished(() => sql.end());
  const findIn = async (table: string, text: string): Promise<boolean> => {
    await sql`checkpoint`;
    const name = `${place.schema}.${table}`;
    const [row] =
      await sql`select position(convert_to(${text}, 'UTF8') in pg_read_binary_file(pg_relation_filepath(${name}::text::regclass))) as at`;
    return row?.at > 0;
  };
  const [secret, both] = [await put(driver, "SECRET-FILE", 0), await put(driver, "BOTH-FILE", 0)];
  await driver.commit([
    appendOf(
      s1,
      one,
      { ...naming("a", secret, both), body: '{"text":"SECRET-BODY"}', facts: { goal: "SECRET-GOAL" } },
      naming("b", both),
      rawRecord("c", {}, { spilled: secret.hash }),
    ),
  ]);
  for (const [table, text] of [
    ["records", "SECRET-BODY"],
    ["sessions", "SECRET-GOAL"],
    ["chunks", "SECRET-FILE"],
  ] as const) {
    expect(await findIn(table, text), `${text} is found while it is there`).toBe(true);
  }

  const shape = '{"forgotten":true}';
  const note = rawRecord("note", { why: "asked" }, { kind: "forgotten", facts: { goal: null } });
  const change = { session: s1, records: [1, 3].map((seq) => ({ seq, body: shape })), note };
  expect(await driver.forget(change)).toEqual({ contents: 1, bytes: "SECRET-FILE".length });

  const rows = await driver.readRecords({ session: s1 });
  expect(rows.map(({ id, body, spilled, isForgotten }) => [id, body, spilled, isForgotten])).toEqual([
    ["a", shape, null, true],
    ["b", "{}", null, false],
    ["c", shape, null, true],
    ["note", '{"why":"asked"}', null, false],
  ]);
  expect(rows.map((row) => rowChecksum(row))).toEqual(rows.map((row) => row.checksum));
  expect(await driver.readContent(secret.hash)).toBeNull();
  expect(await driver.readContent(both.hash)).toEqual(both);
  for (const [table, text] of [
    ["records", "SECRET-BODY"],
    ["sessions", "SECRET-GOAL"],
    ["chunks", "SECRET-FILE"],
  ] as const) {
    expect(await findIn(table, text), `${text} is gone`).toBe(false);
  }
  expect(await driver.checkEngine()).toEqual([]);
});

test("forget of a session that is not there, or with a note whose id is taken, is refused and erases nothing", async () => {
  const driver = await openWithSession();
  await driver.commit([appendOf(s1, one, rawRecord("a", { kept: 1 }))]);
  const change = { session: s1, records: [{ seq: 1, body: "{}" }], note: rawRecord("a", { other: 1 }) };
  await expect(driver.forget(change)).rejects.toMatchObject({ code: "E_ID_REUSED" });
  await expect(driver.forget({ ...change, session: asSession("s9") })).rejects.toMatchObject({
    code: "E_NO_SESSION",
  });
  expect((await driver.readRecords({ session: s1 })).map((row) => row.body)).toEqual(['{"kept":1}']);
});

/** A transaction that began before: as long as it lasts, the server keeps every row it could still see. */
async function olderTransaction(url: string): Promise<{ end(): Promise<void> }> {
  const sql = postgres(url, { max: 1 });
  const connection = await sql.reserve();
  await connection`begin isolation level repeatable read`;
  await connection`select 1`;
  return {
    end: async () => {
      await connection`commit`;
      connection.release();
      await sql.end();
    },
  };
}

const sizeOf = async (driver: Driver): Promise<number> => driver.bytesOnDisk();
const MEGABYTE = 1024 * 1024;

async function putMegabytes(driver: Driver, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await put(driver, String(i).repeat(MEGABYTE), 0);
}

test("T5: gc waits for the transactions that keep what it dropped, and then gives the space back", async () => {
  const place = freshSchema();
  const driver = await openWithSession(place);
  const before = await sizeOf(driver);
  await putMegabytes(driver, 4);
  const older = await olderTransaction(place.url);
  const collected = driver.gc(1000);
  await expect.poll(async () => (await driver.info()).contents, { timeout: 60_000 }).toBe(0);
  expect(await sizeOf(driver)).toBeGreaterThan(before + 3 * MEGABYTE);
  await older.end();
  await collected;
  expect(await sizeOf(driver)).toBeLessThan(before + MEGABYTE);
}, 120_000);

test("T5: space that an earlier gc could not give back is given back by the next, though it drops nothing", async () => {
  const place = freshSchema();
  const driver = await openPostgresDriver({ ...place, clock: impatientClock });
  opened.push(driver);
  const before = await sizeOf(driver);
  await putMegabytes(driver, 4);
  const older = await olderTransaction(place.url);
  await driver.gc(1000);
  expect(await sizeOf(driver)).toBeGreaterThan(before + 3 * MEGABYTE);
  await older.end();
  expect(await driver.gc(1000)).toEqual({ contents: 0, bytes: 0 });
  expect(await sizeOf(driver)).toBeLessThan(before + MEGABYTE);
}, 120_000);

test("D2: forget says so when an older transaction kept the erased rows in the files, and clears them when asked again", async () => {
  const place = freshSchema();
  const driver = await openPostgresDriver({ ...place, clock: impatientClock });
  opened.push(driver);
  await driver.commit([takeOf(s1, "me"), appendOf(s1, one, rawRecord("a", { text: "SECRET-BODY" }))]);
  const older = await olderTransaction(place.url);
  const forgetting = (note: string): Promise<unknown> =>
    driver.forget({
      session: s1,
      records: [{ seq: 1, body: "{}" }],
      note: rawRecord(note, {}, { kind: "forgotten" }),
    });
  await expect(forgetting("n1")).rejects.toMatchObject({ code: "E_STORE_IO" });
  expect((await driver.readRecords({ session: s1 }))[0]?.body).toBe("{}");
  await older.end();
  await forgetting("n2");
  const sql = postgres(place.url, { max: 1 });
  onTestFinished(() => sql.end());
  await sql`checkpoint`;
  const [row] = await sql`select position(convert_to('SECRET-BODY', 'UTF8') in
    pg_read_binary_file(pg_relation_filepath(${`${place.schema}.records`}::text::regclass))) as at`;
  expect(row?.at).toBe(0);
}, 120_000);

test("D2: what was forgotten is not in the planner's samples of the columns either", async () => {
  const place = freshSchema();
  const driver = await openWithSession(place);
  const words = Array.from({ length: 20 }, (_, n) => `SECRET-${n}-BODY`);
  for (const [n, text] of words.entries())
    await driver.commit([appendOf(s1, one, rawRecord(`r${n}`, { text }))]);
  const sql = postgres(place.url, { max: 1 });
  onTestFinished(() => sql.end());
  const sampled = async (): Promise<boolean> => {
    const rows = await sql`select pg_stats::text as row from pg_stats where schemaname = ${place.schema}`;
    return rows.some(({ row }) => String(row).includes("SECRET-"));
  };
  await sql.unsafe(`analyze ${place.schema}.records`);
  expect(await sampled()).toBe(true);
  const seqs = (await driver.readRecords({ session: s1 })).map(({ seq }) => seq);
  await driver.forget({
    session: s1,
    records: seqs.map((seq) => ({ seq, body: "{}" })),
    note: rawRecord("n", {}, { kind: "forgotten" }),
  });
  expect(await sampled()).toBe(false);
}, 120_000);

test("D2: forget waits for the server's own ANALYZE, too, which keeps erased rows in the files: never done while they are there", async () => {
  const server = await startServer({ settings: { autovacuum_naptime: "1s" } });
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  const schema = "analyzed";
  const driver = await openPostgresDriver({ url: server.url, schema, clock: impatientClock });
  onTestFinished(async () => {
    await driver.close();
    await sql.end();
    await server.stop();
  }, 120_000);
  const isAnalyzing = async (): Promise<boolean> =>
    (await sql`select 1 from pg_stat_activity where query like 'autovacuum: ANALYZE public.slow%'`).length >
    0;
  // Slow on purpose: it sleeps after every page.
  await sql`create table public.slow (text text) with (autovacuum_analyze_threshold = 0,
    autovacuum_analyze_scale_factor = 0, autovacuum_vacuum_insert_threshold = -1,
    autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`;
  await sql`insert into public.slow select md5(n::text) from generate_series(1, 100000) n`;
  await expect.poll(isAnalyzing, { timeout: 120_000, interval: 100 }).toBe(true);
  await driver.commit([takeOf(s1, "me"), appendOf(s1, one, rawRecord("a", { text: "SECRET-BODY" }))]);
  const forgetting = async (note: string): Promise<"done" | "E_STORE_IO"> => {
    const change = { session: s1, records: [{ seq: 1, body: "{}" }] };
    try {
      await driver.forget({ ...change, note: rawRecord(note, {}, { kind: "forgotten" }) });
      return "done";
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "E_STORE_IO" });
      return "E_STORE_IO";
    }
  };
  const isInFiles = async (): Promise<boolean> => {
    await sql`checkpoint`;
    const [row] = await sql`select position(convert_to('SECRET-BODY', 'UTF8') in
      pg_read_binary_file(pg_relation_filepath(${`${schema}.records`}::text::regclass))) > 0 as found`;
    return row?.found === true;
  };
  const first = await forgetting("n1");
  expect([first, await isInFiles()]).not.toEqual(["done", true]);
  await sql`drop table public.slow`; // the server takes its worker off it
  await expect.poll(isAnalyzing, { timeout: 120_000, interval: 100 }).toBe(false);
  await expect.poll(() => forgetting(`n${Math.random()}`), { timeout: 120_000 }).toBe("done");
  expect(await isInFiles()).toBe(false);
}, 600_000);
