/** What the streams are connected to: how wide, and whether somebody can be asked. */
import type { Environment } from "../../platform/places.ts";

/** Where nothing says how wide the screen is. */
const DEFAULT_COLUMNS = 80;
/** Narrower, a table has no room for its words; wider, a line of prose is hard to read to its end. */
const MIN_COLUMNS = 40;
const MAX_COLUMNS = 200;

export function columnsOf(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Environment,
): number {
  const given = stream.isTTY && stream.columns ? stream.columns : Number(env.COLUMNS);
  if (!Number.isInteger(given) || given <= 0) return DEFAULT_COLUMNS;
  return Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, given));
}
