/**
 * Sessions' rows as they were read last, for who shows them again and again: nobody has committed since, so they are what is in the store. Of ten
 * thousand sessions the reading of their rows is most of what a list costs, and a page looks every second or so.
 */
import { SESSION_PAGE_ROWS } from "../../model/limits.ts";
import type { SessionFilter, SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";

/** Kept of one store, all its lists together (T5): as many as are read at once. */
const MAX_KEPT_ROWS = SESSION_PAGE_ROWS;

interface KeptRows {
  readonly version: number;
  readonly lists: Map<string, readonly SessionRow[]>;
}

const KEPT = new WeakMap<Store, KeptRows>();

/** As `Store.sessions`. What a server keeps is asked for each time: its counter does not count what is forgotten. */
export async function sessionRows(raw: Store, filter: SessionFilter = {}): Promise<readonly SessionRow[]> {
  if (raw.driver.kind !== "sqlite") return raw.sessions(filter);
  // Read before the rows: what is committed between the two makes the next look read them again.
  const version = await raw.driver.version();
  const key = JSON.stringify(filter, Object.keys(filter).sort());
  const known = KEPT.get(raw);
  const found = known?.version === version ? known.lists.get(key) : undefined;
  if (found) return found;
  const rows = await raw.sessions(filter);
  const now = KEPT.get(raw);
  const lists = now?.version === version ? now.lists : new Map<string, readonly SessionRow[]>();
  const count = [...lists.values()].reduce((sum, list) => sum + list.length, rows.length);
  if (count <= MAX_KEPT_ROWS) lists.set(key, rows);
  KEPT.set(raw, { version, lists });
  return rows;
}
