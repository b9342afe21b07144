import { inspect } from "node:util";
import postgres from "postgres";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { appendOf, asSession, rawRecord, takeOf } from "../../../test/support/changes.ts";
import { freshSchema, startServer } from "../../../test/support/postgres.ts";
import type { RefloatError } from "../../model/errors.ts";
import { type Clock, systemClock } from "../../platform/clock.ts";
import type { Driver } from "../contract/driver.ts";
import { openPostgresDriver, type PostgresDriverOptions } from "./driver.ts";
import { MIGRATIONS } from "./migrations.ts";

const opened: Driver[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((driver) => driver.close()));
});

async function open(options: Omit<PostgresDriverOptions, "clock">): Promise<Driver> {
  const driver = await openPostgresDriver({ ...options, clock: systemClock });
  opened.push(driver);
  return driver;
}

function connect(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  return sql;
}

const s1 = asSession("s1");

test("eight processes that open a new store at once make one store, and opening it again changes nothing", async () => {
  const place = freshSchema();
  const drivers = await Promise.all(Array.from({ length: 8 }, () => open(place)));
  const infos = await Promise.all(drivers.map((driver) => driver.info()));
  expect(new Set(infos.map((info) => info.storeId)).size).toBe(1);
  await drivers[0]?.commit([takeOf(s1, "me", { records: [rawRecord("a")] })]);
  const again = await (await open(place)).info();
  expect(again).toMatchObject({
    kind: "postgres",
    storeId: infos[0]?.storeId,
    schema: MIGRATIONS.length,
    sessions: 1,
    records: 1,
  });
  expect(again.engine).toMatch(/^PostgreSQL \d+/);
  expect(again.bytes).toBeGreaterThan(0);
});

test("a store from a newer refloat is refused and left as it is", async () => {
  const place = freshSchema();
  await open(place);
  const sql = connect(place.url);
  await sql`update ${sql(`${place.schema}.meta`)} set value = '999' where key = 'schema'`;
  await expect(open(place)).rejects.toMatchObject({
    code: "E_STORE_NEWER",
    data: { found: 999, known: MIGRATIONS.length },
  });
  expect(await sql`select value from ${sql(`${place.schema}.meta`)} where key = 'schema'`).toEqual([
    { value: "999" },
  ]);
});

test.each([
  ["a table of another program", "create table t (x int)"],
  ["a meta table of another program", "create table meta (id int)"],
  [
    "a meta table that looks like ours but is not",
    "create table meta (key int, value int); insert into meta values (1, 2)",
  ],
])("a schema with %s is refused and nothing is added to it", async (_, statements) => {
  const { url, schema } = freshSchema();
  const sql = connect(url);
  await sql.unsafe(`create schema ${schema}; set search_path to ${schema}; ${statements}`);
  await expect(open({ url, schema })).rejects.toMatchObject({ code: "E_STORE_NOT_OURS" });
  expect(await sql`select count(*)::int as tables from pg_tables where schemaname = ${schema}`).toEqual([
    { tables: 1 },
  ]);
});

test("D1: a server with fsync=off is refused, unless that is asked for", async () => {
  const server = await startServer({ settings: { fsync: "off" } });
  onTestFinished(() => server.stop());
  await expect(open({ url: server.url })).rejects.toMatchObject({ code: "E_STORE_SYNC" });
  const driver = await open({ url: server.url, allowUnsafeServer: true });
  expect(await driver.commit([takeOf(s1, "me")])).toMatchObject([{ kind: "done" }]);
});

test("D1: a server that loses its fsync while the store is open acknowledges nothing any more", async () => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const driver = await open({ url: server.url });
  await driver.commit([takeOf(s1, "me")]);
  const sql = connect(server.url);
  await sql.unsafe("alter system set fsync = off");
  await sql.unsafe("select pg_reload_conf()");
  const append = async (id: number) =>
    driver.commit([appendOf(s1, { attempt: 1 }, rawRecord(`r${id}`))]).then(
      () => "acknowledged",
      (thrown: RefloatError) => thrown.code,
    );
  // Each process of the server takes the new setting over when it gets round to it.
  let id = 0;
  await expect.poll(() => append(id++), { timeout: 30_000 }).toBe("E_STORE_SYNC");
  expect(await append(id)).toBe("E_STORE_SYNC");
});

test("D1: every commit waits for the disk, even where the role or a pooler has switched that off", async () => {
  const place = freshSchema();
  await open(place);
  const sql = connect(place.url);
  for (const [set, inForce] of [
    ["off", "on"],
    ["local", "on"],
    ["on", "on"],
    ["remote_apply", "remote_apply"],
  ] as const) {
    const rows = await sql.begin(async (tx) => {
      await tx.unsafe(`set local synchronous_commit = ${set}`);
      await tx.unsafe(`select ${place.schema}.append_2('[]')`);
      return tx.unsafe("show synchronous_commit");
    });
    expect(rows[0]?.synchronous_commit, `where it was ${set}`).toBe(inForce);
  }
});

test("D6: on a read-only server reading works, and a write says that it was not made", async () => {
  const place = freshSchema();
  const writer = await open(place);
  await writer.commit([takeOf(s1, "me", { records: [rawRecord("a")] })]);
  const reader = await open({ ...place, url: `${place.url}?default_transaction_read_only=on` });
  expect(await reader.readRecords({ session: s1 })).toHaveLength(1);
  const change = appendOf(s1, "anyone", rawRecord("b"));
  await expect(reader.commit([change])).rejects.toMatchObject({ code: "E_STORE_READ_ONLY" });
  expect(await writer.readRecords({ session: s1 })).toHaveLength(1);
});

test("D6: a full disk is said, nothing of the group is saved, and work goes on when there is space again", async () => {
  const place = freshSchema();
  const driver = await open(place);
  await driver.commit([takeOf(s1, "me")]);
  const sql = connect(place.url);
  const records = `${place.schema}.records`;
  await sql.unsafe(`
    create function ${place.schema}.full() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: no space left on device' using errcode = 'disk_full'; end $$;
    create trigger full_disk before insert on ${records} for each row when (new.id = 'b') execute function ${place.schema}.full()`);
  const group = ["a", "b"].map((id) => appendOf(s1, { attempt: 1 }, rawRecord(id, { text: "PRIVATE" })));
  const error: RefloatError = await driver.commit(group).then(
    () => Promise.reject(new Error("it was acknowledged")),
    (thrown) => thrown,
  );
  expect(error.code).toBe("E_STORE_FULL");
  // T4: bodies are the user's; a program that logs all of an error must not log them.
  expect(inspect(error, { showHidden: true, depth: null })).not.toContain("PRIVATE");
  expect(await driver.readRecords({ session: s1 })).toEqual([]);
  await sql.unsafe(`drop trigger full_disk on ${records}`);
  expect(await driver.commit(group)).toMatchObject([{ seqs: [1] }, { seqs: [2] }]);
});

test("a server that is not there, or does not know us, is named at once, and never with the password", async () => {
  const { url } = freshSchema();
  const wrong = new URL(url);
  wrong.password = "wrong-s3cret";
  const gone = new URL(url);
  gone.port = "1"; // reserved long ago; nobody listens there
  gone.password = "wrong-s3cret";
  for (const address of [wrong.href, gone.href]) {
    const error: RefloatError = await open({ url: address }).then(
      () => Promise.reject(new Error("it opened")),
      (thrown) => thrown,
    );
    expect(error.code).toBe("E_STORE_UNREACHABLE");
    expect(
      `${error.message} ${error.hint} ${JSON.stringify(error.data)} ${String(error.cause)}`,
    ).not.toContain("s3cret");
  }
  const driver = await open(freshSchema());
  expect((await driver.info()).location).toMatch(
    /^postgres:\/\/refloat@127\.0\.0\.1:\d+\/d_[0-9a-f]{16}, schema t_/,
  );
});

test("what waits for a commit wakes for anybody's, for a close, and when its time is up; a refusal is no commit", async () => {
  const place = freshSchema();
  const [a, b] = [await open(place), await open(place)];
  await a.commit([takeOf(s1, "me")]);
  const before = await b.version();
  await a.commit([appendOf(s1, { attempt: 9 }, rawRecord("refused"))]);
  expect(await b.version()).toBe(before);
  await b.waitForCommit(before, 50);

  for (let i = 0; i < 20; i++) {
    const since = await b.version();
    const woken = b.waitForCommit(since, 600_000);
    await a.commit([appendOf(s1, { attempt: 1 }, rawRecord(`r${i}`))]);
    await woken;
    expect(await b.version()).not.toBe(since);
    expect((await b.readSession(s1))?.head).toBe(i + 1);
  }
  const woken = b.waitForCommit(await b.version(), 600_000);
  await b.close();
  await woken;
  await expect(b.readSession(s1)).rejects.toMatchObject({ code: "E_CLOSED" });
});

test("a commit of another process wakes who waits for its session by its notification: on a clock by which nobody ever looks again", {
  timeout: 120_000,
}, async () => {
  const place = freshSchema();
  const a = await open(place);
  await a.commit([takeOf(s1, "me")]);
  const sleep: Clock["sleep"] = (_ms, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  const b = await openPostgresDriver({ ...place, clock: { ...systemClock, sleep } });
  opened.push(b);
  const sql = connect(place.url);
  const listening = (): Promise<readonly unknown[]> =>
    sql`select from pg_stat_activity where query ilike ${`listen%${place.schema}%`}`;
  for (let i = 0; i < 3; i++) {
    const woken = b.waitForCommit(await b.version(s1), 600_000, s1);
    await expect.poll(listening, { timeout: 30_000 }).toHaveLength(1);
    await a.commit([appendOf(s1, { attempt: 1 }, rawRecord(`r${i}`))]);
    expect(await woken).toBe(true);
    expect((await b.readSession(s1))?.head).toBe(i + 1);
  }
});
