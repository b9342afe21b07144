// What counts: half-done groups called safe (none may be), finished groups called safe (most must be).
import { expectedRows, isCounted } from "./kinds.mjs";

export const GOAL_RECALL = 0.7;
/** With the user's check, where HEAD itself passes it. */
export const GOAL_VERIFIED_RECALL = 0.9;
/** Groups per kind, agent and level, and half-done groups in all, below which the figures say nothing. */
export const MIN_PER_ROW = 200;
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
const sumOf = (rows, of) => rows.reduce((sum, row) => sum + of(row), 0);
const isSame = (a) => (b) => a.kind === b.kind && a.agent === b.agent && a.level === b.level;

/** The figures a reader looks for first. `rows`: {kind, agent, level, safe, risky, unknown}. */
export function headline(rows) {
  const halfDone = rows.filter(isCounted);
  const done = rows.find(isSame({ kind: "finished", agent: "finished", level: "operations" }));
  const finished = done ? totalOf(done) : 0;
  return {
    wrong: sumOf(halfDone, ({ safe }) => safe),
    halfDone: sumOf(halfDone, totalOf),
    finished,
    recall: finished > 0 ? done.safe / finished : 0,
  };
}

/** What is missed, as sentences; none: the goals are met. `leastPerRow` is lower only in tests of this benchmark. */
export function missedGoals(rows, leastPerRow = MIN_PER_ROW) {
  const { wrong, halfDone, recall } = headline(rows);
  const missed = [];
  if (wrong > 0) missed.push(`${wrong} half-done groups were called safe`);
  const least = leastPerRow === MIN_PER_ROW ? MIN_HALF_DONE : leastPerRow;
  if (halfDone < least) missed.push(`only ${halfDone} half-done groups were judged, not ${least}`);
  for (const expected of expectedRows()) {
    const row = rows.find(isSame(expected));
    const total = row ? totalOf(row) : 0;
    if (total < leastPerRow)
      missed.push(`only ${total} of ${expected.kind}, ${expected.agent}, ${expected.level}`);
  }
  if (recall < GOAL_RECALL)
    missed.push(`${percent(recall)} of finished groups were called safe, not ${percent(GOAL_RECALL)}`);
  return missed;
}

/** With the check: no half-done group is safe because of it, and nine of ten finished ones are safe, whatever was said. */
export function missedVerified(rows) {
  const { wrong } = headline(rows);
  const missed = [];
  if (wrong > 0) missed.push(`with the user's check ${wrong} half-done groups were called safe`);
  const done = rows.find(isSame({ kind: "finished", agent: "finished", level: "operations" }));
  const recall = done && totalOf(done) > 0 ? done.safe / totalOf(done) : 0;
  if (recall < GOAL_VERIFIED_RECALL)
    missed.push(
      `with the user's check ${percent(recall)} of finished groups were called safe, not ${percent(GOAL_VERIFIED_RECALL)}`,
    );
  return missed;
}

export const percent = (share) => `${(share * 100).toFixed(1)} %`;
