/** What the server itself can tell: whether it is fit to hold a store, what it holds, what is wrong with it. */
import { z } from "zod";
import { RefloatError } from "../../model/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Damage, DriverInfo } from "../contract/driver.ts";
import { MIGRATIONS, type StoreMeta } from "./migrations.ts";
import type { PostgresRow, Wire } from "./wire.ts";

/** gen_random_uuid and pg_snapshot came with 13; older ones are out of support everywhere. */
const OLDEST_SERVER = 130000;
/** A store this damaged needs no longer list. */
const MAX_FINDINGS = 100;

const SERVER_COLUMNS = `current_setting('server_version_num') AS version, current_setting('fsync') AS fsync,
  current_setting('server_encoding') AS encoding, extract(epoch FROM clock_timestamp()) * 1000 AS now_ms`;
/** Without a store there: no such table, no such schema, a table of somebody else's. */
const NO_META: ReadonlySet<unknown> = new Set(["42P01", "3F000", "42703"]);

/**
 * Refuses a server that would lose what it acknowledged (D1), unless that is wanted. One statement where a store is there, what its
 * `meta` holds included: a short command on a far server waits for few answers. Null: there is none, or not one of ours.
 */
export async function checkServer(
  wire: Wire,
  { allowUnsafeServer, clock }: { readonly allowUnsafeServer: boolean; readonly clock: Clock },
): Promise<{ readonly meta: StoreMeta | null; readonly aheadMs: number }> {
  const row = (await serverWithMeta(wire)) ?? (await serverRow(wire, SERVER_COLUMNS));
  const unsupported = (why: string, instead: string): RefloatError =>
    new RefloatError("E_UNSUPPORTED", { what: wire.place.location, why, instead });
  if (Number(row?.version) < OLDEST_SERVER) {
    throw unsupported("the server is older than PostgreSQL 13", "Use a newer server.");
  }
  if (row?.encoding !== "UTF8") {
    throw unsupported(`the database is encoded in ${row?.encoding}`, "Create one with ENCODING 'UTF8'.");
  }
  if (!allowUnsafeServer) requireSync(String(row?.fsync));
  const meta =
    typeof row?.meta === "string" ? new Map(Object.entries(metaText.parse(JSON.parse(row.meta)))) : null;
  return { meta, aheadMs: Number(row?.now_ms) - clock.nowMs() };
}

const metaText = z.record(z.string(), z.string());

async function serverRow(wire: Wire, columns: string): Promise<PostgresRow | null> {
  // Whoever opens a store is told at once that it is not there.
  const [row] = await wire.ask(`SELECT ${columns}`, [], { patienceMs: 0 });
  return row ?? null;
}

async function serverWithMeta(wire: Wire): Promise<PostgresRow | null> {
  const meta = `(SELECT json_object_agg(key::text, value::text)::text FROM ${wire.place.schema}.meta) AS meta`;
  try {
    return await serverRow(wire, `${SERVER_COLUMNS}, ${meta}`);
  } catch (thrown) {
    const cause = thrown instanceof RefloatError ? thrown.cause : null;
    if (cause instanceof Error && "code" in cause && NO_META.has(cause.code)) return null;
    throw thrown;
  }
}

export function requireSync(fsync: string): void {
  if (fsync !== "on") throw new RefloatError("E_STORE_SYNC", { found: `fsync=${fsync} on the server` });
}

const BYTES_SQL = `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`;

export async function readBytesOnDisk(wire: Wire): Promise<number> {
  const [row] = await wire.ask(BYTES_SQL, [wire.place.schema]);
  return Number(row?.bytes ?? 0);
}

export async function readInfo(wire: Wire, storeId: string): Promise<DriverInfo> {
  const { schema: s, location } = wire.place;
  const [row] = await wire.ask(
    `SELECT current_setting('server_version') AS version,
            (SELECT count(*) FROM ${s}.sessions) AS sessions,
            (SELECT count(*) FROM ${s}.records) AS records,
            (SELECT count(*) FROM ${s}.contents) AS contents,
            (SELECT coalesce(sum(octet_length(bytes)), 0) FROM ${s}.chunks) AS content_bytes,
            (${BYTES_SQL}) AS bytes`,
    [s],
    { attemptMs: null },
  );
  return {
    kind: "postgres",
    location,
    storeId,
    schema: MIGRATIONS.length,
    engine: `PostgreSQL ${row?.version}`,
    fileSystem: null,
    sessions: Number(row?.sessions),
    records: Number(row?.records),
    contents: Number(row?.contents),
    contentBytes: Number(row?.content_bytes),
    bytes: Number(row?.bytes),
    losses: [],
  };
}

/** Each statement lists rows that contradict each other, with what to call them. */
const CHECKS: readonly {
  readonly kind: Damage["kind"];
  readonly sql: (s: string) => string;
  readonly message: (row: PostgresRow) => string;
}[] = [
  {
    kind: "projection",
    sql: (s) => `SELECT coalesce(held.id, found.session) AS where, held.head, found.last
      FROM ${s}.sessions held FULL JOIN (SELECT session, max(seq) AS last FROM ${s}.records GROUP BY session) found
        ON found.session = held.id
      WHERE held.head IS DISTINCT FROM coalesce(found.last, 0)`,
    message: (row) => `the session's row ends at ${row.head}, its journal at ${row.last ?? 0}`,
  },
  {
    kind: "gap",
    sql: (s) => `SELECT session AS where, count(*) AS found, max(seq) AS last FROM ${s}.records
      GROUP BY session HAVING count(*) <> max(seq) OR min(seq) <> 1`,
    message: (row) => `${row.found} records where there should be ${row.last}`,
  },
  {
    kind: "projection",
    sql: (s) => `SELECT o.session AS where, o.what, o.seq FROM ${s}.open o
      WHERE NOT EXISTS (SELECT FROM ${s}.records r WHERE r.session = o.session AND r.seq = o.seq)`,
    message: (row) => `an open ${row.what} whose record ${row.seq} is not there`,
  },
  {
    kind: "content",
    sql: (s) => `SELECT r.session AS where, r.seq, encode(r.hash, 'hex') AS hash FROM ${s}.refs r
      WHERE NOT EXISTS (SELECT FROM ${s}.contents c WHERE c.hash = r.hash)`,
    message: (row) => `record ${row.seq} names the content ${row.hash}, which is not there`,
  },
];

export async function checkEngine(wire: Wire): Promise<readonly Damage[]> {
  const found: Damage[] = [];
  for (const { kind, sql, message } of CHECKS) {
    const rows = await wire.ask(`${sql(wire.place.schema)} LIMIT ${MAX_FINDINGS}`, [], { attemptMs: null });
    for (const row of rows) found.push({ kind, where: String(row.where), message: message(row) });
  }
  return found.slice(0, MAX_FINDINGS);
}
