// @ts-check
/**
 * What a store in Postgres costs its server, as processor time and bytes of its log, which a loaded machine does not change: an append of about 1 KiB, a
 * heartbeat of 60 sessions by one process and of 6, what a follower asks each second, a claim taken and given back. The figures behind docs/fleet-paper.md.
 *   node bench/fleet-costs.mjs
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { selfOwner } from "../dist/platform/identity.js";
import { newRecord } from "../dist/session/new-record.js";
import { openRawStore } from "../dist/store/open-raw-store.js";
import { startPostgres } from "./peers/postgres.mjs";

const APPENDS = 3000;
const BEATS = 300;
const SESSIONS = 60;
const CLAIMS = 500;
const TICKS_PER_SECOND = Number(spawnSync("getconf", ["CLK_TCK"], { encoding: "utf8" }).stdout);

const folder = mkdtempSync(join(tmpdir(), "refloat-bench-"));
spawnSync("chmod", ["755", folder]);
const server = await startPostgres(folder);
const sql = postgres(server.url("postgres"), { max: 1, onnotice: () => undefined });
const store = await openRawStore(`${server.url("postgres")}?schema=bench`, { thread: false });
try {
  const main = Number((await sql`SELECT pg_backend_pid() AS pid`)[0]?.pid);
  const postmaster = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${main}/status`, "utf8"))?.[1]);
  /** Of the server and all its processes, the dead ones it has reaped included. */
  const cpuMs = () => {
    let ticks = 0;
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const fields = stat
          .slice(stat.lastIndexOf(")") + 2)
          .split(" ")
          .map(Number);
        if (Number(pid) === postmaster) ticks += fields.slice(11, 15).reduce((a, b) => a + b, 0);
        else if (fields[1] === postmaster) ticks += (fields[11] ?? 0) + (fields[12] ?? 0);
      } catch (gone) {
        if (!(gone instanceof Error && "code" in gone)) throw gone;
      }
    return (ticks * 1000) / TICKS_PER_SECOND;
  };
  const walBytes = async () =>
    Number((await sql`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`)[0]?.bytes);

  /** @param {string} what @param {number} times @param {(i: number) => Promise<unknown>} work */
  const measured = async (what, times, work) => {
    const before = { cpu: cpuMs(), wal: await walBytes() };
    for (let i = 0; i < times; i++) await work(i);
    const cpu = (cpuMs() - before.cpu) / times;
    const wal = ((await walBytes()) - before.wal) / times;
    console.log(`${what}: ${cpu.toFixed(3)} ms of one core, ${wal.toFixed(0)} bytes of log`);
  };

  const clock = store.clock;
  /** @param {string} id */
  const begun = async (id) => {
    await store.take({
      ...{ session: /** @type {any} */ (id), seen: null, owner: selfOwner("bench"), thresholdMs: 120_000 },
      nowMs: clock.nowMs(),
      records: [newRecord(clock, "session.began", { agent: "a", workspace: "/w", goal: null, name: null })],
    });
  };
  const ids = Array.from({ length: SESSIONS }, (_, at) => `session-${at}`);
  for (const id of ids) await begun(id);
  const text = "x".repeat(700);
  const say = (/** @type {number} */ i) =>
    store.append(/** @type {any} */ (ids[i % SESSIONS]), { attempt: 1 }, [
      newRecord(clock, "decided", { key: `k${i}`, value: text, reason: null, step: null }),
    ]);
  for (let i = 0; i < 300; i++) await say(-i - 1 + 300_000); // plans are made, tables are warm
  await measured("an append of about 1 KiB", APPENDS, say);
  await measured(`a heartbeat of ${SESSIONS} sessions`, BEATS, () =>
    Promise.all(ids.map((id) => store.renew(/** @type {any} */ (id), 1))),
  );
  await measured("a heartbeat of 6 sessions", BEATS, () =>
    Promise.all(ids.slice(0, 6).map((id) => store.renew(/** @type {any} */ (id), 1))),
  );
  await measured("a follower's look", BEATS, (i) =>
    store.driver.version(/** @type {any} */ (ids[i % SESSIONS])),
  );
  await measured("a session begun and its claim given back", CLAIMS, async (i) => {
    await begun(`short-${i}`);
    await store.release(/** @type {any} */ (`short-${i}`), 1, [
      newRecord(clock, "claim.released", { attempt: 1 }),
    ]);
  });
} finally {
  await store.close();
  await sql.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
