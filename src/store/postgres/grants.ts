/**
 * The least that a role needs of a store, as a script for its owner. Writers get no right on a table but to read it: what they write
 * goes through the functions that check the fence (K1), which run as the owner from then on. So a host that was taken over can
 * neither change a record, nor take a claim past the fence, nor erase anything (D2).
 */

/** `reader`: lists, shows, follows. `writer`: sessions of its own, too. Collecting, forgetting and new schemas are the owner's. */
export type StoreRights = "reader" | "writer";

export const STORE_RIGHTS: readonly StoreRights[] = ["reader", "writer"];

/** What a writer calls, with its arguments' types. Each names every table with its schema; nothing in them depends on a search path. */
const WRITING = [
  "append_2(text)",
  "first_1(text)",
  "put_1(text)",
  "held_1(text, double precision, double precision)",
] as const;

export function grantsSql(schema: string, role: string, rights: StoreRights): string {
  const name = `"${role.replaceAll('"', '""')}"`;
  const writing = WRITING.map((one) => `${schema}.${one}`);
  return [
    `-- What ${name} needs of the store in the schema ${schema}, as ${rights}. Run it as the owner of the schema,`,
    "-- and again after an update of refloat that changed the schema. Running it twice changes nothing.",
    "BEGIN;",
    `REVOKE ALL ON SCHEMA ${schema} FROM PUBLIC;`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM PUBLIC, ${name};`,
    `REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC, ${name};`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${name};`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${name};`,
    ...(rights === "reader"
      ? []
      : writing.flatMap((one) => [
          `ALTER FUNCTION ${one} SECURITY DEFINER SET search_path = pg_catalog, pg_temp;`,
          `GRANT EXECUTE ON FUNCTION ${one} TO ${name};`,
        ])),
    "COMMIT;",
  ].join("\n");
}
