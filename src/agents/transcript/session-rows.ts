/**
 * One session's rows of a database as lines of JSON, for keeping: a database holds other sessions, too, and what was said in other
 * workspaces is not kept under this one's name. First how each table is made, then its rows, the subagents' among them; row by row, so that
 * what is held is one of them (T5). A row that is longer than a line may be is named with its size.
 */
import type { JsonObject } from "../../model/json.ts";
import { TRANSCRIPT_LINE_BYTES } from "../../model/limits.ts";
import type { DatabaseFormat, KeptTable, Rows } from "../words/adapter.ts";

/** Subagents of subagents, and so on: a ring in somebody's table ends here. */
const MAX_SESSIONS = 1000;

export function* sessionRows(
  rows: Rows,
  { kept: { tables, parent } }: DatabaseFormat,
  nativeId: string,
): Generator<JsonObject> {
  const [sessions] = tables;
  const [own] =
    sessions === undefined
      ? []
      : rows(`SELECT 1 AS found FROM "${sessions.table}" WHERE "${sessions.of}" = ?`, nativeId);
  if (sessions === undefined || own === undefined) return;
  const ids = parent === null ? [nativeId] : withChildren(rows, sessions.table, parent, nativeId);
  for (const one of tables) {
    const [made] = rows("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", one.table);
    // An older version may not have it.
    if (made === undefined) continue;
    yield { table: one.table, sql: made.sql ?? null };
    for (const id of ids) yield* rowsOf(rows, one, id);
  }
}

function withChildren(rows: Rows, table: string, parent: string, nativeId: string): readonly string[] {
  const ids = [nativeId];
  for (let at = 0; at < ids.length && ids.length < MAX_SESSIONS; at++)
    for (const { id } of rows(`SELECT id FROM "${table}" WHERE "${parent}" = ? ORDER BY id`, ids[at] ?? ""))
      if (typeof id === "string" && !ids.includes(id)) ids.push(id);
  return ids;
}

function* rowsOf(rows: Rows, { table, of, order }: KeptTable, id: string): Generator<JsonObject> {
  const names = [...rows(`SELECT name FROM pragma_table_info('${table}')`)].map(({ name }) => String(name));
  const bytes = names.map((name) => `coalesce(octet_length("${name.replaceAll('"', '""')}"), 0)`).join(" + ");
  const found = rows(
    `SELECT rowid AS row_id, ${bytes} AS bytes FROM "${table}" WHERE "${of}" = ? ORDER BY ${order}`,
    id,
  );
  for (const { row_id, bytes: size } of found) {
    if (typeof row_id !== "number") continue;
    if (Number(size) > TRANSCRIPT_LINE_BYTES) yield { table, left_out_bytes: Number(size) };
    else for (const row of rows(`SELECT * FROM "${table}" WHERE rowid = ?`, row_id)) yield { table, row };
  }
}
