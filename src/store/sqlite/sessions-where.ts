/** Which sessions a list is asked for, as SQL: only what is given is looked at, so that an index finds it where there is one. */
import { MAX_ID_BYTES, SESSION_PAGE_ROWS } from "../../model/limits.ts";
import { type Rest, WAKING_FACTS } from "../contract/at-rest.ts";
import type { SessionFilter } from "../contract/driver.ts";
import type { SqliteValue } from "./load.ts";

/** Sorts after every id that begins with what stands before it: it is the last character there is, as often as an id has room for. */
const LAST_OF_ALL = "\u{10FFFF}".repeat(Math.ceil(MAX_ID_BYTES / 4));

const ENDED = "json_extract(facts, '$.ended_at_ms')";

const fact = (name: string): string => `json_extract(facts, '$.${name}')`;

const LEFT_NOTHING = `((${fact("capture")} IS NULL AND ${fact("owes_end_capture")} IS NULL)
  OR (${fact("left.attempt")} = attempt AND ${fact("left.changes")} = 0))`;

const atRest = (rest: Rest): string =>
  [
    "owner IS NULL",
    `${ENDED} < ?`,
    ...WAKING_FACTS[rest].map((name) => `${fact(name)} IS NULL`),
    ...(rest === "left-nothing" ? [LEFT_NOTHING] : []),
    "NOT EXISTS (SELECT 1 FROM open WHERE open.session = sessions.id)",
  ].join(" AND ");

export function sessionsWhere(filter: SessionFilter): {
  readonly where: string;
  readonly values: readonly SqliteValue[];
} {
  const { after = "", workspace, name, prefix, isUnended, without, limit } = filter;
  const where = ["id > ?"];
  const values: SqliteValue[] = [after];
  const add = (sql: string, ...given: readonly SqliteValue[]): void => {
    where.push(sql);
    values.push(...given);
  };
  if (workspace !== undefined) add("workspace = ?", workspace);
  if (name !== undefined) add("name = ?", name);
  // SQLite compares by bytes, so what begins so is a stretch of the index.
  if (prefix !== undefined && prefix !== "") add("id >= ? AND id < ?", prefix, prefix + LAST_OF_ALL);
  if (isUnended) add(`${ENDED} IS NULL`);
  if (without) add(`(${atRest(without.rest)}) IS NOT TRUE`, without.endedBeforeMs);
  values.push(Math.min(limit ?? SESSION_PAGE_ROWS, SESSION_PAGE_ROWS));
  return { where: `WHERE ${where.join(" AND ")} ORDER BY id LIMIT ?`, values };
}
