/**
 * The schema, as numbered steps forward. Each runs once, all missing ones in one transaction; their number is
 * kept in `meta`. A store from a newer refloat is refused, never downgraded; a schema with somebody else's
 * tables in it is left alone.
 */
import { RefloatError } from "../../model/errors.ts";
import { appendSql } from "./append-sql.ts";
import { contentsSql } from "./contents-sql.ts";
import { tablesSql } from "./tables-sql.ts";
import type { PostgresPlace } from "./url.ts";
import type { Asking, Wire } from "./wire.ts";

export interface Migration {
  readonly name: string;
  /** The statements, for a schema of this name. */
  readonly sql: (schema: string) => string;
}

export const MIGRATIONS: readonly Migration[] = [
  { name: "0001-initial", sql: (s) => [tablesSql(s), appendSql(s), contentsSql(s)].join("\n") },
];

/** "refl": processes that open a new store at the same time take turns. */
const MIGRATION_LOCK = 0x7265666c;

/** Brings the schema to the newest number and returns the store's id. Writes nothing when it is there already. */
export async function migrate(wire: Wire, migrations: readonly Migration[] = MIGRATIONS): Promise<string> {
  const found = await readMeta(wire, wire.place, migrations.length);
  if (found?.schema === migrations.length) return found.storeId;
  return wire.transaction((asking) => migrateInTurn(asking, wire.place, migrations));
}

async function migrateInTurn(
  asking: Asking,
  place: PostgresPlace,
  migrations: readonly Migration[],
): Promise<string> {
  const { schema } = place;
  await asking.ask("SELECT pg_advisory_xact_lock($1, hashtext($2))", [MIGRATION_LOCK, schema]);
  await asking.script("SET LOCAL synchronous_commit = on");
  // Another process may have been here while we waited.
  const found = await readMeta(asking, place, migrations.length);
  if (!found) await asking.script(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  for (const migration of migrations.slice(found?.schema ?? 0)) await asking.script(migration.sql(schema));
  await asking.ask(
    `INSERT INTO ${schema}.meta (key, value)
       VALUES ('application', 'refloat'), ('store_id', gen_random_uuid()::text), ('schema', '${migrations.length}')
       ON CONFLICT (key) DO UPDATE SET value = CASE meta.key WHEN 'schema' THEN excluded.value ELSE meta.value END`,
  );
  const now = await readMeta(asking, place, migrations.length);
  if (!now) throw new RefloatError("E_INTERNAL", { why: "a new store has no meta table" });
  return now.storeId;
}

interface Meta {
  readonly storeId: string;
  readonly schema: number;
}

/** Null: nothing is there yet. Asks the catalogue first, because a failed query would end the transaction. */
async function readMeta(asking: Asking, place: PostgresPlace, known: number): Promise<Meta | null> {
  const { schema, location } = place;
  const [catalogue] = await asking.ask(
    `SELECT (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1) AS relations,
            (SELECT count(*) FROM pg_attribute WHERE attrelid = to_regclass($2) AND attname IN ('key', 'value')) AS columns`,
    [schema, `${schema}.meta`],
  );
  if (Number(catalogue?.relations) === 0) return null;
  const notOurs = new RefloatError("E_STORE_NOT_OURS", {
    path: location,
    why: "the schema holds other tables",
  });
  if (Number(catalogue?.columns) !== 2) throw notOurs;
  const rows = await asking.ask(`SELECT key::text, value::text FROM ${schema}.meta`);
  const meta = new Map(rows.map((row) => [row.key, row.value]));
  if (meta.get("application") !== "refloat") throw notOurs;
  const found = Number(meta.get("schema"));
  if (found > known) throw new RefloatError("E_STORE_NEWER", { path: location, found, known });
  return { storeId: String(meta.get("store_id")), schema: found };
}
