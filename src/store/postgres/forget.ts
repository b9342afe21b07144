/**
 * `forget`: the one exception to D2. Bodies are replaced by their shape, contents that only they named go,
 * and a record says that and why, all in one statement (`forget_1`).
 *
 * Then the tables are rewritten, because PostgreSQL keeps old versions of rows in their files. What it
 * keeps elsewhere is the server's: its log until the next checkpoints recycle it, archives, replicas and
 * backups. docs/durability.md says so.
 */
import { z } from "zod";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { ChangeOutcome, ForgetChange, GcResult } from "../contract/driver.ts";
import { rowChecksum } from "../contract/row-checksum.ts";
import { rewriteTables } from "./contents.ts";
import { encodeChange, outcome } from "./group.ts";
import { RECORD_COLUMNS, toRawRecord } from "./rows.ts";
import type { Wire } from "./wire.ts";

/** Facts and paths may hold what was in a body, so their tables are rewritten, too. */
const REWRITTEN = ["records", "sessions", "refs", "chunks", "contents", "pieces"];

const answer = z.object({ outcome, contents: z.number(), bytes: z.number() });

export async function forgetRecords(wire: Wire, change: ForgetChange): Promise<GcResult> {
  const { session, note } = change;
  const request = JSON.stringify({
    note: encodeChange({ kind: "append", session, by: "anyone", records: [note] }),
    records: await erasedRows(wire, change),
  });
  const [row] = await wire.ask(`SELECT ${wire.place.schema}.forget_1($1) AS answer`, [request], {
    isWrite: true,
    attemptMs: null,
  });
  const { outcome: noted, contents, bytes } = answer.parse(row?.answer);
  if (noted.kind === "refused") throw refusedNote(change, noted);
  if (!change.isForRoom) await clearFiles(wire);
  return { contents, bytes };
}

/** Rows never change but by this, so their new checksums can be computed from what is read now. */
async function erasedRows(wire: Wire, change: ForgetChange): Promise<object[]> {
  const bodies = new Map(change.records.map(({ seq, body }) => [seq, body]));
  const rows = await wire.ask(
    `SELECT ${RECORD_COLUMNS} FROM ${wire.place.schema}.records
       WHERE session = $1 AND seq IN (SELECT e::bigint FROM jsonb_array_elements_text($2::text::jsonb) AS e)`,
    [change.session, JSON.stringify([...bodies.keys()])],
  );
  return rows.map(toRawRecord).map((record) => {
    const body = bodies.get(record.seq) ?? "{}";
    return {
      seq: record.seq,
      body,
      checksum: rowChecksum({ ...record, body, spilled: null, isForgotten: true }),
    };
  });
}

function refusedNote(
  change: ForgetChange,
  { refusal }: Extract<ChangeOutcome, { kind: "refused" }>,
): RefloatError {
  if (refusal.kind === "no-session") return new RefloatError("E_NO_SESSION", { what: change.session });
  if (refusal.kind === "id-reused") return new RefloatError("E_ID_REUSED", { id: refusal.id });
  return new RefloatError("E_INTERNAL", { why: `the note of a forget was refused: ${refusal.kind}` });
}

export async function clearFiles(wire: Wire): Promise<void> {
  const rewritten = await rewriteTables(wire, REWRITTEN).catch((thrown: unknown) => {
    throw stillInFiles(wire, ensureError(thrown).message, thrown);
  });
  if (rewritten === "clean") return;
  throw stillInFiles(
    wire,
    "a transaction that began before is still open there; forget again when it has ended",
  );
}

function stillInFiles(wire: Wire, reason: string, cause?: unknown): RefloatError {
  const why = `the records are erased, but old copies of them are still in the server's files: ${reason}`;
  return new RefloatError("E_STORE_IO", { path: wire.place.location, why }, cause);
}
