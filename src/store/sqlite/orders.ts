/** What was begun and may have been broken off (`orders` of the driver): rows of `meta`, beside the store's id and the losses that were accepted. */
import type { OrderRow } from "../contract/driver.ts";
import type { Connection } from "./connection.ts";

const PREFIX = "order-";

export function readOrders(db: Connection): OrderRow[] {
  return db
    .all("SELECT key, value FROM meta WHERE key >= 'order-' AND key < 'order.' ORDER BY key")
    .map(({ key, value }) => ({ id: String(key).slice(PREFIX.length), text: String(value) }));
}

export const putOrder = (db: Connection, { id, text }: OrderRow, seen: string | null): boolean =>
  db.transaction(() => {
    const key = PREFIX + id;
    const written =
      seen === null
        ? db.run("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", key, text)
        : db.run("UPDATE meta SET value = ? WHERE key = ? AND value = ?", text, key, seen);
    return written === 1;
  });

/** It may name a path or a session that is to be gone: overwritten. */
export function dropOrder(db: Connection, id: string): void {
  db.exec("PRAGMA secure_delete = ON");
  try {
    db.transaction(() => db.run("DELETE FROM meta WHERE key = ?", PREFIX + id));
  } finally {
    db.exec("PRAGMA secure_delete = FAST");
  }
}
