/**
 * Rewriting tables, so that what was deleted is out of their files (T5, D2). PostgreSQL keeps a deleted row for as long
 * as any transaction of the database began before the deletion was committed: its VACUUM then copies the row
 * along and says nothing. So we wait for those transactions first, as its own concurrent index builds do.
 */
import { z } from "zod";
import { LOCK_WAIT_MS } from "../../model/limits.ts";
import type { Wire } from "./wire.ts";

const POLL_MS = 50;

/** `kept`: somebody's older transaction did not end in time, so deleted rows may still be in the files. */
export type RewriteOutcome = "clean" | "kept";

export async function rewriteTables(wire: Wire, tables: readonly string[]): Promise<RewriteOutcome> {
  const isClear = await olderTransactionsEnd(wire);
  // With ANALYZE: the planner's statistics hold samples of what was in the columns.
  for (const table of tables) await wire.maintain(`VACUUM (FULL, ANALYZE) ${wire.place.schema}.${table}`);
  return isClear ? "clean" : "kept";
}

const names = z.array(z.object({ name: z.string() }));

/**
 * Every transaction holds a lock on its own virtual id, and who holds it may be read without any privilege. Of the server's
 * own workers one that vacuums keeps nothing; one that analyzes does, as long as its table takes.
 */
async function runningTransactions(wire: Wire): Promise<readonly string[]> {
  const rows = await wire.ask(
    `SELECT l.virtualtransaction AS name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
       WHERE l.locktype = 'virtualxid' AND l.granted AND a.datname = current_database()
         AND l.pid <> pg_backend_pid()
         AND (a.backend_type = 'autovacuum worker' AND a.query LIKE 'autovacuum: VACUUM %'
              AND a.query NOT LIKE '%ANALYZE%') IS NOT TRUE`,
  );
  return names.parse(rows).map(({ name }) => name);
}

async function olderTransactionsEnd(wire: Wire): Promise<boolean> {
  const older = new Set(await runningTransactions(wire));
  for (let waitedMs = 0; older.size > 0; waitedMs += POLL_MS) {
    if (waitedMs >= LOCK_WAIT_MS) return false;
    await wire.pause(POLL_MS);
    const running = new Set(await runningTransactions(wire));
    for (const name of older) if (!running.has(name)) older.delete(name);
  }
  return true;
}
