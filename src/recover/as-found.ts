/** Sessions as they are, with the ends that nobody has recorded yet told as a recovery would tell them. Reads only (W1). */
import { openThings } from "../conversation/begin.ts";
import { findDirtyEnd } from "../conversation/dirty-end.ts";
import type { SessionSummary } from "../session/describe.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { finishCause } from "./name-end.ts";
import { surveySession } from "./survey-session.ts";

export function asFound(
  store: Store,
  rows: readonly SessionRow[],
  summaries: readonly SessionSummary[],
): Promise<SessionSummary[]> {
  const byId = new Map(rows.map((row) => [row.id as string, row]));
  return Promise.all(
    summaries.map(async (summary) => {
      const row = byId.get(summary.id);
      return row && mayBeUntold(summary) ? found(store, row, summary) : summary;
    }),
  );
}

/** Settled ones have the cause on their row; live, idle and finished ones have nothing to be found. */
export const mayBeUntold = ({ state }: SessionSummary): boolean =>
  state === "interrupted" || state === "suspended";

async function found(store: Store, row: SessionRow, summary: SessionSummary): Promise<SessionSummary> {
  const { end, open } = await surveySession(store, row);
  if (!end) return summary;
  const things = await openThings(store, row.id, { open });
  const { count } = await findDirtyEnd(store, row, things, end.cause, end);
  return {
    ...summary,
    state: end.isFinished && summary.state === "interrupted" ? "finished" : summary.state,
    cause: end.isFinished ? finishCause(end) : end.cause,
    dirty_ends: count,
  };
}
