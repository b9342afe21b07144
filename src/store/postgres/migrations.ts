/**
 * The schema, as numbered steps forward. Each runs once, all missing ones in one transaction; their number is
 * kept in `meta`. A store from a newer refloat is refused, never downgraded; a schema with somebody else's
 * tables in it is left alone.
 */
import { RefloatError } from "../../model/errors.ts";
import { appendSql } from "./append-sql.ts";
import { deleteSql } from "./delete-sql.ts";
import { firstSql } from "./first-sql.ts";
import { repeatsSql } from "./repeats-sql.ts";
import { resealSql } from "./reseal-sql.ts";
import { contentsSql, tablesSql } from "./tables-sql.ts";
import { unendedSql } from "./unended-sql.ts";
import type { Wire } from "./wire.ts";

export interface PostgresMigration {
  readonly name: string;
  /** The statements, for a schema of this name. */
  readonly sql: (schema: string) => string;
}

export const MIGRATIONS: readonly PostgresMigration[] = [
  { name: "0001-initial", sql: (s) => [tablesSql(s), appendSql(s), contentsSql(s)].join("\n") },
  { name: "0002-repeats-in-a-change", sql: repeatsSql },
  { name: "0003-the-first-that-can-be-made", sql: firstSql },
  { name: "0004-sessions-removed-whole", sql: deleteSql },
  { name: "0005-what-has-not-ended", sql: unendedSql },
  { name: "0006-chunks-sealed-anew", sql: resealSql },
];

/** "refl": processes that open a new store at the same time take turns. */
const MIGRATION_LOCK = 0x7265666c;

/**
 * Brings the schema to the newest number and returns the store's id. Writes nothing when it is there already. `read`: what `meta`
 * held when the server was looked at; null: that is looked up.
 */
export async function migrate(wire: Wire, read: StoreMeta | null): Promise<string> {
  const found = read ? metaIn(wire.place.location, read) : await readMeta(wire);
  if (found?.schema === MIGRATIONS.length) return found.storeId;
  await wire.maintain(migrationSql(wire.place.schema, found?.schema ?? 0));
  // Ours, or that of another process that was here first.
  const now = await readMeta(wire);
  if (now?.schema === MIGRATIONS.length) return now.storeId;
  throw new RefloatError("E_STORE_IO", { why: "another process is changing the schema of the store" });
}

/**
 * One block, so that it is one statement and one transaction. Does nothing if another process did it meanwhile;
 * that is asked of the catalogue's tables, because name look-ups may answer from before the wait for the lock.
 */
function migrationSql(s: string, from: number): string {
  const isStillThere =
    from === 0
      ? `NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE n.nspname = '${s}' AND c.relname = 'meta')`
      : `(SELECT value = '${from}' FROM ${s}.meta WHERE key = 'schema')`;
  return `DO $migrate$ BEGIN
    PERFORM pg_advisory_xact_lock(${MIGRATION_LOCK}, hashtext('${s}'));
    IF ${isStillThere} THEN
      PERFORM set_config('synchronous_commit', 'on', true);
      CREATE SCHEMA IF NOT EXISTS ${s};
      ${MIGRATIONS.slice(from)
        .map((migration) => migration.sql(s))
        .join("\n")}
      INSERT INTO ${s}.meta (key, value)
        VALUES ('application', 'refloat'), ('store_id', gen_random_uuid()::text), ('schema', '${MIGRATIONS.length}')
        ON CONFLICT (key) DO UPDATE SET value = CASE meta.key WHEN 'schema' THEN excluded.value ELSE meta.value END;
    END IF;
  END $migrate$`;
}

/** What `meta` holds, by its keys. */
export type StoreMeta = ReadonlyMap<string, string>;

interface Meta {
  readonly storeId: string;
  readonly schema: number;
}

/** Null: nothing is there yet. */
async function readMeta(wire: Wire): Promise<Meta | null> {
  const { schema, location } = wire.place;
  const [catalogue] = await wire.ask(
    `SELECT (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1) AS relations,
            (SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass($2) AND attname IN ('key', 'value')) AS columns`,
    [schema, `${schema}.meta`],
  );
  if (Number(catalogue?.relations) === 0) return null;
  if (Number(catalogue?.columns) !== 2) throw notOurs(location);
  const rows = await wire.ask(`SELECT key::text, value::text FROM ${schema}.meta`);
  return metaIn(location, new Map(rows.map((row) => [String(row.key), String(row.value)])));
}

const notOurs = (path: string): RefloatError =>
  new RefloatError("E_STORE_NOT_OURS", { path, why: "the schema holds other tables" });

function metaIn(path: string, meta: StoreMeta): Meta {
  if (meta.get("application") !== "refloat") throw notOurs(path);
  const found = Number(meta.get("schema"));
  if (found > MIGRATIONS.length)
    throw new RefloatError("E_STORE_NEWER", { path, found, known: MIGRATIONS.length });
  return { storeId: String(meta.get("store_id")), schema: found };
}
