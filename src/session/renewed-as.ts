/** A conversation that was begun anew (L2), by the rows: where it goes on, and where it came from. */
import type { SessionId } from "../model/ids.ts";
import type { SessionRow } from "../store/contract/driver.ts";

type WithFacts = Pick<SessionRow, "facts">;

/** Null: it goes on where it is. From here on nothing goes on in the old one, whatever is lifted there. */
export const renewedAs = (row: WithFacts | null): SessionId | null =>
  typeof row?.facts.renewed === "string" ? (row.facts.renewed as SessionId) : null;

export const continuedBy = ({ facts }: WithFacts): SessionId | null =>
  typeof facts.continues === "string" ? (facts.continues as SessionId) : null;
