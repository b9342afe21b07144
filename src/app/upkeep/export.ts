/** Copies of what the store holds: all of it as another store, or sessions as JSON lines, each whole before it has its name. */
import { statSync } from "node:fs";
import { createDurableFrom } from "../../platform/durable-stream.ts";
import { backupStore } from "../../store/backup.ts";
import { exportLines } from "../../store/export.ts";
import type { AppPlace } from "../place/app-place.ts";
import { findSession } from "../sessions/find-session.ts";

/** Consistent, while others go on writing. `path`: absolute, and nothing is there yet. Its size. */
export async function backup(at: AppPlace, path: string): Promise<number> {
  const store = await at.openStore();
  await backupStore(store.raw, path);
  return statSync(path).size;
}

export interface ExportOrder {
  /** Sessions as they were typed; empty: all of them. */
  readonly sessions: readonly string[];
  /** Secrets are left in. */
  readonly isRaw: boolean;
}

/** Lines without their ends. */
export async function exportSessions(
  at: AppPlace,
  { sessions, isRaw }: ExportOrder,
): Promise<AsyncIterable<string>> {
  const ids = new Set<string>();
  for (const typed of sessions) ids.add((await findSession(at, typed)).row.id);
  const store = await at.openStore();
  return exportLines(store.raw, { raw: isRaw, ...(ids.size > 0 ? { sessions: [...ids] } : {}) });
}

/** `file`: absolute, and nothing is there yet. */
export async function exportToFile(
  at: AppPlace,
  order: ExportOrder,
  file: string,
): Promise<{ readonly lines: number; readonly bytes: number }> {
  const exported = await exportSessions(at, order);
  let lines = 0;
  async function* counted(): AsyncGenerator<string> {
    for await (const line of exported) {
      lines++;
      yield `${line}\n`;
    }
  }
  const bytes = await createDurableFrom(file, counted());
  return { lines, bytes };
}
