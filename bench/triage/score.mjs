// What counts: half-done groups called safe (none may be), finished groups called safe (most must be).
export const GOAL_RECALL = 0.7;
/** States per kind and agent, and half-done groups in all, below which the figures say nothing. */
export const MIN_PER_KIND = 200;
export const MIN_HALF_DONE = 2000;

export function newTally() {
  return new Map();
}

export function count(tally, key, verdict) {
  const row = tally.get(key) ?? { safe: 0, risky: 0, unknown: 0 };
  row[verdict]++;
  tally.set(key, row);
}

export const totalOf = ({ safe, risky, unknown }) => safe + risky + unknown;

/** What is missed, as sentences; none: the goals are met. `rows`: {kind, agent, level, safe, risky, unknown}. */
export function missedGoals(rows) {
  const halfDone = rows.filter(({ agent }) => agent !== "finished" && agent !== "not tellable");
  const missed = [];
  const wrong = halfDone.reduce((sum, { safe }) => sum + safe, 0);
  if (wrong > 0) missed.push(`${wrong} half-done groups were called safe`);
  const all = halfDone.reduce((sum, row) => sum + totalOf(row), 0);
  if (all < MIN_HALF_DONE) missed.push(`only ${all} half-done groups were judged, not ${MIN_HALF_DONE}`);
  for (const row of halfDone)
    if (totalOf(row) < MIN_PER_KIND)
      missed.push(`only ${totalOf(row)} of ${row.kind}, ${row.agent}, ${row.level}`);
  const done = rows.find(({ kind, level }) => kind === "finished" && level === "operations");
  const recall = done && totalOf(done) > 0 ? done.safe / totalOf(done) : 0;
  if (recall < GOAL_RECALL)
    missed.push(
      `${(recall * 100).toFixed(1)} % of finished groups were called safe, not ${GOAL_RECALL * 100} %`,
    );
  return missed;
}
