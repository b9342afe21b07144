/** Removing a session whole (`delete_1`). Then the tables are rewritten, as after `forget`: PostgreSQL keeps deleted rows in their files. */
import { z } from "zod";
import type { DeleteChange, DeleteOutcome } from "../contract/driver.ts";
import { clearFiles } from "./forget.ts";
import { encodeChange } from "./group.ts";
import type { Wire } from "./wire.ts";

const answer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("moved") }),
  z.object({ kind: z.literal("deleted"), records: z.number(), contents: z.number(), bytes: z.number() }),
]);

export async function deleteSessionRows(wire: Wire, change: DeleteChange): Promise<DeleteOutcome> {
  const { session, seen, note } = change;
  const request = JSON.stringify({
    session,
    attempt: seen.attempt,
    holder: seen.holder === null ? null : JSON.stringify(seen.holder),
    note:
      note && encodeChange({ kind: "append", session: note.session, by: "anyone", records: [note.record] }),
  });
  const [row] = await wire.ask(`SELECT ${wire.place.schema}.delete_1($1) AS answer`, [request], {
    isWrite: true,
    attemptMs: null,
  });
  const found = answer.parse(row?.answer);
  if (found.kind === "moved") {
    // Gone by then: maybe by ourselves, whose answer was lost with the connection, or by a process that was killed before it had cleared the files.
    if (!(await isThere(wire, session))) await clearFiles(wire);
    return found;
  }
  await clearFiles(wire);
  const { kind, ...result } = found;
  return { kind, result };
}

async function isThere(wire: Wire, session: string): Promise<boolean> {
  const rows = await wire.ask(`SELECT 1 FROM ${wire.place.schema}.sessions WHERE id = $1`, [session]);
  return rows.length > 0;
}
