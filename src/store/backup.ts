/**
 * An online backup of any store as one SQLite file: whole and synced before it has its name, never over
 * another, while others go on writing. SQLite copies itself in one snapshot. A PostgreSQL store is read
 * session by session, each as of the moment it is read: every journal is whole up to there.
 */
import { existsSync } from "node:fs";
import { RefloatError } from "../model/errors.ts";
import { removeTemporary } from "../platform/private-file.ts";
import { randomId } from "../platform/random.ts";
import { exportLines } from "./export.ts";
import { importLines } from "./import.ts";
import { openRawStore } from "./open-raw-store.ts";
import type { Store } from "./store.ts";

/** Files SQLite and we keep beside a store. */
const SUFFIXES = ["", "-wal", "-shm", "-mark"] as const;

export async function backupStore(store: Store, path: string): Promise<void> {
  const { backup } = store.driver;
  if (backup) return backup(path);
  if (existsSync(path)) throw new RefloatError("E_EXISTS", { path });
  const draft = `${path}.draft-${randomId()}`;
  const { keys } = store.sealing;
  const copy = await openRawStore(draft, { thread: false, clock: store.clock, keys });
  try {
    await importLines(copy, exportLines(store, { raw: true }));
    await copy.driver.backup?.(path);
  } finally {
    await copy.close();
    for (const suffix of SUFFIXES) removeTemporary(draft + suffix);
  }
}
