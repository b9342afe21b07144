import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import postgres from "postgres";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { appendOf, asSession, rawRecord, takeOf } from "../../../test/support/changes.ts";
import { freshSchema, startServer } from "../../../test/support/postgres.ts";
import type { PostgresServer } from "../../../test/support/postgres-server.ts";
import type { SessionId } from "../../model/ids.ts";
import { type Clock, systemClock } from "../../platform/clock.ts";
import type { ChangeOutcome, Driver } from "../contract/driver.ts";
import { rowChecksum } from "../contract/row-checksum.ts";
import { openPostgresDriver } from "./driver.ts";

const opened: Driver[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((driver) => driver.close()));
});

async function open(place: { url: string; schema?: string }, clock: Clock = systemClock): Promise<Driver> {
  const driver = await openPostgresDriver({ ...place, clock });
  opened.push(driver);
  return driver;
}

async function server(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const started = await startServer({ settings });
  onTestFinished(() => started.stop());
  return started;
}

const one = { attempt: 1 };
const s1 = asSession("s1");

interface Acknowledged {
  readonly seq: number;
  readonly id: string;
}

/** Appends until told to stop; what it returns was acknowledged, in this order. */
async function stream(
  driver: Driver,
  session: SessionId,
  tag: string,
  isOver: () => boolean,
): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  for (let i = 0; !isOver(); i++) {
    const ids = [`${tag}.${i}.a`, `${tag}.${i}.b`];
    const by = session === s1 ? "anyone" : one;
    const [outcome] = await driver.commit([
      appendOf(session, by, ...ids.map((id) => rawRecord(id, { pad: "x".repeat(500) }))),
    ]);
    if (outcome?.kind !== "done") throw new Error(`refused: ${JSON.stringify(outcome)}`);
    for (const [n, id] of ids.entries()) acknowledged.push({ seq: outcome.seqs[n] ?? 0, id });
  }
  return acknowledged;
}

async function journal(driver: Driver, session: SessionId): Promise<Acknowledged[]> {
  const rows: Acknowledged[] = [];
  for (;;) {
    const page = await driver.readRecords({ session, fromSeq: rows.length + 1 });
    if (page.length === 0) return rows;
    for (const row of page) {
      expect(rowChecksum(row)).toBe(row.checksum);
      rows.push({ seq: row.seq, id: row.id });
    }
  }
}

/** Reads what is new whenever something was committed, until told to stop; then the rest. */
async function follow(driver: Driver, session: SessionId, isOver: () => boolean): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const wasOver = isOver();
    const since = await driver.version();
    const page = await driver.readRecords({ session, fromSeq: seen.length + 1 });
    seen.push(...page.map((row) => row.id));
    if (page.length > 0) continue;
    if (wasOver) return seen;
    await driver.waitForCommit(since, 1000);
  }
}

interface Aftermath {
  readonly acknowledged: Readonly<Record<string, Acknowledged[]>>;
  readonly found: Readonly<Record<string, Acknowledged[]>>;
}

/** Two processes write, each to a session of its own and both to s1, while the server is killed again and again. */
async function killAmidCommits(
  place: PostgresServer,
  drivers: readonly [Driver, Driver],
  kills: number,
): Promise<Aftermath> {
  let killed = 0;
  const isOver = () => killed === kills;
  const streams = drivers.flatMap((driver, i) => [
    stream(driver, asSession(`own${i}`), `own${i}`, isOver),
    stream(driver, s1, `shared${i}`, isOver),
  ]);
  const headOf = async () => (await drivers[0].readSession(s1))?.head ?? 0;
  while (!isOver()) {
    const head = await headOf();
    await expect.poll(headOf, { timeout: 60_000 }).toBeGreaterThan(head + 10);
    await place.kill();
    await place.start();
    killed++;
  }
  const [own0 = [], shared0 = [], own1 = [], shared1 = []] = await Promise.all(streams);
  const found = async (session: string) => journal(drivers[0], asSession(session));
  return {
    acknowledged: { own0, own1, s1: [...shared0, ...shared1].sort((a, b) => a.seq - b.seq) },
    found: { own0: await found("own0"), own1: await found("own1"), s1: await found("s1") },
  };
}

const TAKES = ["s1", "own0", "own1"].map((id) => takeOf(asSession(id), "me"));

test("D1, D3, D4: a server killed with SIGKILL amid a stream of commits and started again: all that was acknowledged is there, once, in order, and neither writer nor follower noticed", async () => {
  const place = await server();
  const drivers = [await open(place), await open(place)] as const;
  await drivers[0].commit(TAKES);
  let isOver = false;
  const following = follow(await open(place), s1, () => isOver);
  const { acknowledged, found } = await killAmidCommits(place, drivers, 3);
  isOver = true;
  expect(found).toEqual(acknowledged);
  expect(await following).toEqual(found.s1?.map(({ id }) => id));
  for (const rows of Object.values(found))
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1));
  expect(await drivers[0].checkEngine()).toEqual([]);
});

test("the test before this one would see it if a commit did not wait for the disk", async () => {
  const place = await server({ wal_writer_delay: "10s", wal_writer_flush_after: "1GB" });
  const drivers = [await open(place), await open(place)] as const;
  await drivers[0].commit(TAKES);
  const sql = postgres(place.url, { max: 1 });
  await sql.unsafe(`
    create or replace function refloat.durable() returns void language sql as $$
      select set_config('synchronous_commit', 'off', true) $$`);
  await sql.end();
  const { acknowledged, found } = await killAmidCommits(place, drivers, 1);
  expect(found).not.toEqual(acknowledged);
});

test("driver 1 to 4: fifty groups at once from two processes, over the same sessions in opposite order, all commit, gapless", async () => {
  const place = freshSchema();
  const drivers = [await open(place), await open(place)];
  const sessions = Array.from({ length: 10 }, (_, i) => asSession(`s${i}`));
  await drivers[0]?.commit(sessions.map((id) => takeOf(id, "me")));
  const groups = Array.from({ length: 50 }, (_, g) => {
    const changes = sessions.map((id) => appendOf(id, one, rawRecord(`g${g}.1`), rawRecord(`g${g}.2`)));
    return drivers[g % 2]?.commit(g % 4 < 2 ? changes : changes.reverse()) ?? [];
  });
  const outcomes = (await Promise.all(groups)).flat();
  expect(outcomes.every((outcome: ChangeOutcome) => outcome.kind === "done" && !outcome.isRepeat)).toBe(true);
  for (const id of sessions) {
    const rows = await journal(drivers[0] as Driver, id);
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
    for (let i = 0; i < 100; i += 2) expect(rows[i]?.id.replace(/1$/, "2")).toBe(rows[i + 1]?.id);
  }
});

/** Between two attempts at a broken connection this clock is far ahead; a wait for an answer is cut short. */
function hastyClock(attemptMs: number): Clock {
  let ahead = 0;
  return {
    nowMs: () => systemClock.nowMs(),
    monotonicMs: () => systemClock.monotonicMs() + ahead,
    sleep: (ms, signal) => {
      if (ms >= 60_000) return systemClock.sleep(attemptMs, signal);
      ahead += 5000;
      return systemClock.sleep(ms, signal);
    },
  };
}

test("a server that stays away: a write that cannot have arrived is said not to have, one that may have is said to be in doubt", async () => {
  const place = await server();
  const driver = await open(place, hastyClock(600_000));
  await driver.commit([takeOf(s1, "me")]);
  const sql = postgres(place.url, { max: 1 });
  const holding = sql.unsafe("select * from refloat.sessions for update; select pg_sleep(600)");
  const ended = expect(holding).rejects.toThrow();
  const watcher = postgres(place.url, { max: 1 });
  const isWaitingFor = async (what: string) =>
    (
      await watcher`select count(*)::int as n from pg_stat_activity where ${what} in (wait_event, wait_event_type)`
    )[0]?.n;
  await expect.poll(() => isWaitingFor("PgSleep"), { timeout: 30_000 }).toBe(1);
  const inDoubt = expect(driver.commit([appendOf(s1, one, rawRecord("a"))])).rejects.toMatchObject({
    code: "E_STORE_LOST",
  });
  await expect.poll(() => isWaitingFor("Lock"), { timeout: 30_000 }).toBe(1);
  await place.kill();
  await inDoubt;
  await ended;
  await expect(driver.commit([appendOf(s1, one, rawRecord("b"))])).rejects.toMatchObject({
    code: "E_STORE_UNREACHABLE",
  });
  await expect(driver.readSession(s1)).rejects.toMatchObject({ code: "E_STORE_UNREACHABLE" });
  await Promise.all([sql, watcher].map((client) => client.end({ timeout: 0 })));

  await place.start();
  expect(await driver.commit([appendOf(s1, one, rawRecord("b"))])).toMatchObject([
    { kind: "done", seqs: [1] },
  ]);
});

/** Passes bytes on until told to swallow them, as a network does that lost its route. */
async function blackHole(
  port: number,
): Promise<{ port: number; swallow: (on: boolean) => void; close: () => void }> {
  let isSwallowing = false;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => {
        if (!isSwallowing) to.write(bytes);
      });
      from.on("close", () => to.destroy());
      from.on("error", () => to.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    swallow: (on) => {
      isSwallowing = on;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

test("D4: a connection that goes silent is given up, and what was sent over it is sent again and saved once", async () => {
  const { url, schema } = freshSchema();
  const direct = new URL(url);
  const hole = await blackHole(Number(direct.port));
  onTestFinished(() => hole.close());
  direct.port = String(hole.port);
  const driver = await open({ url: direct.href, schema }, hastyClock(400));
  await driver.commit([takeOf(s1, "me")]);
  for (let round = 0; round < 3; round++) {
    hole.swallow(true);
    const committing = driver.commit([appendOf(s1, one, rawRecord(`r${round}`))]);
    const reading = driver.readSession(s1);
    await systemClock.sleep(100);
    hole.swallow(false);
    expect(await committing).toMatchObject([{ kind: "done", seqs: [round + 1] }]);
    expect(await reading).not.toBeNull();
  }
  expect((await journal(driver, s1)).map(({ id }) => id)).toEqual(["r0", "r1", "r2"]);
});
