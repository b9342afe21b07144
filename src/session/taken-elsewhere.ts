/**
 * Whether an attempt is over because its session goes on on another machine. Whatever a process of that attempt still says here, or wrote
 * here since, is late: it is not the session's, though it carries its mark (K1, W8).
 */
import { hostId } from "../platform/identity.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { sentAway } from "../store/contract/session-facts.ts";
import { parseMark } from "./leftovers.ts";

export function isTakenElsewhere(row: SessionRow, mark: string | null | undefined): boolean {
  if (sentAway(row) !== null) return true;
  const { facts, claim } = row;
  const attempt = mark ? (parseMark(mark)?.attempt ?? null) : null;
  const isOver = attempt !== null && attempt < claim.attempt;
  return isOver && typeof facts.host === "string" && facts.host !== hostId();
}
