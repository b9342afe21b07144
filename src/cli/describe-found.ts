/** Sessions as they are, with the ends that nobody has recorded yet told as a recovery would tell them. Reads only (W1). */
import type { RefloatStore } from "../library/open-store.ts";
import type { SessionSummary } from "../session/describe.ts";
import type { SessionRow } from "../store/driver.ts";

export async function describeFound(
  store: RefloatStore,
  rows: readonly SessionRow[],
): Promise<SessionSummary[]> {
  const summaries = await store.describe(rows);
  const byId = new Map(rows.map((row) => [row.id as string, row]));
  return Promise.all(
    summaries.map(async (summary) => {
      const row = byId.get(summary.id);
      // Settled ones have the cause on their row; live, idle and finished ones have nothing to be found.
      const isUntold = row && (summary.state === "interrupted" || summary.state === "suspended");
      return isUntold ? asFound(store, row, summary) : summary;
    }),
  );
}

/** Loaded only where something died: a quiet repository is told at once. */
async function asFound(
  { raw }: RefloatStore,
  row: SessionRow,
  summary: SessionSummary,
): Promise<SessionSummary> {
  const { surveySession } = await import("../recover/survey-session.ts");
  const { end, open } = await surveySession(raw, row);
  if (!end) return summary;
  const { openThings } = await import("../conversation/begin.ts");
  const { findDirtyEnd } = await import("../conversation/dirty-end.ts");
  const things = await openThings(raw, row.id, { open });
  const { count } = await findDirtyEnd(raw, row, things, end.cause, end);
  return {
    ...summary,
    state: end.isFinished && summary.state === "interrupted" ? "finished" : summary.state,
    cause: end.cause,
    dirty_ends: end.isFinished ? 0 : count,
  };
}
