/**
 * A server and its synchronous standby, by streaming replication: a commit is acknowledged when both have it on disk, so that promoting the
 * standby loses nothing that was acknowledged (D1). Both are copies of one cluster that was never started.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { inject } from "vitest";
import { makeCluster, type PostgresServer, runCluster, setIn, urlOf } from "./postgres-server.ts";

export interface PostgresPair {
  /** The one that takes writes just now. */
  readonly current: PostgresServer;
  readonly isPromoted: boolean;
  /** The first is killed for good; the other takes its place. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

const STANDBY = "standby";
/** Looks at whether the standby has connected, 20 ms apart. */
const MAX_LOOKS = 1500;

export async function startPair(settings: Readonly<Record<string, string>>): Promise<PostgresPair> {
  const programs = inject("postgresPrograms");
  const [base, copy] = [0, 1].map(() => mkdtempSync(join(programs.temp, "refloat-pg-"))) as [string, string];
  const data = await makeCluster(base, programs, { settings: { ...settings, wal_keep_size: "256MB" } });
  const other = join(copy, "data");
  cpSync(base, copy, { recursive: true });
  const { username, password, hostname, port } = new URL(urlOf(data));
  const words = { user: username, password: decodeURIComponent(password), host: hostname, port };
  const conninfo = Object.entries({ ...words, application_name: STANDBY }).map(
    ([key, value]) => `${key}=${value}`,
  );
  await setIn(other, { ...settings, primary_conninfo: conninfo.join(" ") });
  writeFileSync(join(other, "standby.signal"), "");
  if (programs.as) execFileSync("chown", ["-R", `${programs.as.uid}:${programs.as.gid}`, copy]);
  const first = await runCluster(base, data, programs);
  const second = await runCluster(copy, other, programs);
  await isStreaming(first.url);
  let current = first;
  return {
    get current() {
      return current;
    },
    get isPromoted() {
      return current === second;
    },
    promote: async () => {
      await first.kill();
      await asked(second.url, "SELECT pg_promote(true, 60)");
      current = second;
    },
    stop: async () => {
      await second.stop();
      await first.stop();
      for (const folder of [base, copy]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** From here on every commit waits for it. */
async function isStreaming(url: string): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const [row] = await asked(
      url,
      "SELECT count(*)::int AS n FROM pg_stat_replication WHERE state = 'streaming'",
    );
    if (row?.n === 1) {
      await asked(url, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
      await asked(url, "SELECT pg_reload_conf()");
      return;
    }
    await sleep(20);
  }
  throw new Error("The standby did not connect.");
}

async function asked(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  return sql.unsafe(statement).finally(() => sql.end());
}
