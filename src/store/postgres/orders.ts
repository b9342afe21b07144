/** What was begun and may have been broken off (`orders` of the driver): rows of `meta`. Whoever may erase may write them: the store's owner. */
import type { OrderRow } from "../contract/driver.ts";
import type { Wire } from "./wire.ts";

const PREFIX = "order-";

export async function readOrders(wire: Wire): Promise<readonly OrderRow[]> {
  const rows = await wire.ask(
    `SELECT key, value FROM ${wire.place.schema}.meta WHERE starts_with(key, $1) ORDER BY key`,
    [PREFIX],
  );
  return rows.map(({ key, value }) => ({ id: String(key).slice(PREFIX.length), text: String(value) }));
}

/** Asked a second time, because the answer was lost with the connection, it finds its own text and says the same. */
export async function putOrder(wire: Wire, { id, text }: OrderRow, seen: string | null): Promise<boolean> {
  const { schema } = wire.place;
  const rows = await wire.ask(
    seen === null
      ? `WITH synced AS MATERIALIZED (SELECT ${schema}.durable())
         INSERT INTO ${schema}.meta AS m (key, value) SELECT $1::text, $2::text FROM synced
         ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE m.value = excluded.value RETURNING 1 AS one`
      : `WITH synced AS MATERIALIZED (SELECT ${schema}.durable())
         UPDATE ${schema}.meta m SET value = $2::text FROM synced
         WHERE m.key = $1::text AND m.value IN ($2::text, $3::text) RETURNING 1 AS one`,
    seen === null ? [PREFIX + id, text] : [PREFIX + id, text, seen],
    { isWrite: true },
  );
  return rows.length > 0;
}

export async function dropOrder(wire: Wire, id: string): Promise<void> {
  const { schema } = wire.place;
  await wire.ask(`DELETE FROM ${schema}.meta WHERE key = $1`, [PREFIX + id], { isWrite: true });
}
