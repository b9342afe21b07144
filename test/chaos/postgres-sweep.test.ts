/**
 * The kill sweep on PostgreSQL: the writer at every crash point of this side and at random; and the server
 * itself, whose writer must not notice. Each story has a schema of its own.
 */
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { freshSchema, startServer } from "../support/postgres.ts";
import { isFull } from "../support/seed.ts";
import type { StoreAddress } from "./run-writer.ts";
import { countHits, killAtPoints, killAtRandom, killInRecovery, killServerAtRandom } from "./sweeps.ts";

const KILLS = isFull ? 500 : 40;
const SERVER_KILLS = isFull ? 60 : 6;
const LIMIT_MS = 60 * 60_000;

/** What happens inside the server, in one statement: its own kill covers them. A backup, a SQLite file, passes some of them. */
const IN_THE_SERVER = [
  "append.in-transaction",
  "append.before-commit",
  "take.before-commit",
  "create.before-link",
  "create.after-link",
  "checkpoint.before",
  "checkpoint.after",
  "forget.before-commit",
  "forget.after-names",
  "forget.after-drop",
];

/** Schemas of finished stories would only slow the server down. */
function schemasOn(url: string): (folder: string) => StoreAddress {
  const used: string[] = [];
  onTestFinished(async () => {
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    for (const schema of used) await sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await sql.end();
  });
  return (folder) => {
    const { schema } = freshSchema();
    used.push(schema);
    return { url, folder, open: { schema } };
  };
}

test(
  "on PostgreSQL, a writer killed at each crash point, first and later, loses nothing acknowledged and is followed at once (D1, D3, C1, C4, K1)",
  async () => {
    const address = schemasOn(freshSchema().url);
    const hits = await countHits(address);
    const passed = new Map([...hits].filter(([, count]) => count > 0));
    const never = [...hits.keys()].filter((point) => !passed.has(point));
    expect(never.filter((point) => !IN_THE_SERVER.includes(point))).toEqual([]);
    await killAtPoints("PostgreSQL", address, passed);
  },
  LIMIT_MS,
);

test(
  "on PostgreSQL, a recovery killed at each of its own crash points in turn settles everything once when it gets through (C4, K4)",
  async () => {
    const points = ["append.before-begin", "append.after-commit", "take.after-commit", "append.before-ack"];
    await killInRecovery(schemasOn(freshSchema().url), points);
  },
  LIMIT_MS,
);

test(
  `${KILLS} kills of the writer at random lose nothing acknowledged on PostgreSQL, at least 30 % of them before an acknowledgement (D1, D3, C1, C4, K1)`,
  async () => {
    const address = schemasOn(freshSchema().url);
    await killAtRandom("PostgreSQL", KILLS, () => address);
  },
  LIMIT_MS,
);

test(
  `${SERVER_KILLS} kills of the PostgreSQL server itself lose nothing acknowledged, and the writer goes on as if nothing had been (D1, D4)`,
  async () => {
    const server = await startServer();
    onTestFinished(() => server.stop());
    await killServerAtRandom(SERVER_KILLS, schemasOn(server.url), server);
  },
  LIMIT_MS,
);
