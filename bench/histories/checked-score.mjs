// What counts beside the user's check: finished groups called safe (most must be), and none that is on record as cut off.
import { percent, sumOf } from "./score.mjs";

export const CHECKED_GOAL = { plain: 0.9, all: 0.6, leastFinished: 20 };

/** Rows of the same kind, witness, language and class are one. */
export function merged(rows) {
  const sums = new Map();
  for (const { safe, risky, unknown, ...row } of rows) {
    const key = JSON.stringify(row);
    const sum = sums.get(key) ?? { ...row, safe: 0, risky: 0, unknown: 0 };
    sums.set(key, {
      ...sum,
      safe: sum.safe + safe,
      risky: sum.risky + risky,
      unknown: sum.unknown + unknown,
    });
  }
  return [...sums.values()];
}

const isFinished = ({ kind }) => kind === "finished";
const isPlain = ({ of }) => of === "plain and provable";
const SAID = ["op end", "calls recorded", "turn completed", "exit code"];

export function checkedHeadline(rows) {
  const half = rows.filter((row) => !isFinished(row));
  const by = (who) => rows.filter((row) => isFinished(row) && row.who === who);
  return {
    strong: sumOf(half.filter(({ of }) => of === "shows")),
    nowhere: sumOf(half.filter(({ of }) => of !== "shows")),
    finished: SAID.map((who) => ({
      who,
      plain: sumOf(by(who).filter(isPlain)),
      all: sumOf(by(who)),
    })),
  };
}

/** What is missed, as sentences, of each kind of check; none: the goals are met. */
export function missedChecked({ blind, real }, goal = CHECKED_GOAL) {
  return [
    ...missedBy(blind.rows, goal).map((sentence) => `a check that passes on everything: ${sentence}`),
    ...missedBy(real.rows, goal).map((sentence) => `the project's own check: ${sentence}`),
  ];
}

function missedBy(rows, goal) {
  const want = (who, name, { share, total }, least) =>
    total >= Math.max(1, goal.leastFinished) && share < least
      ? [`${percent(share)} of ${name} was called safe, not ${percent(least)}: ${who}`]
      : [];
  const ended = checkedHeadline(rows).finished.flatMap(({ who, plain, all }) => [
    ...(plain.total < goal.leastFinished
      ? [`only ${plain.total} finished groups that are plain and provable: ${who}`]
      : []),
    ...want(who, "what is plain and provable", plain, goal.plain),
    ...want(who, "all that is finished", all, goal.all),
  ]);
  return [...ended, ...safeByRecord(rows)];
}

/** What is on record as cut off or given up no check may make safe, whatever it passes on (S3). */
const ON_RECORD = /^(?:killed|quit)/;
const safeByRecord = (rows) =>
  sentencesBy(
    rows.filter(({ who }) => ON_RECORD.test(who)),
    (sum, who) => `${sum} were safe beside the check although it is on record as cut off: ${who}`,
  );

/**
 * Half-done work that shows and is safe beside the check all the same, by who saw it. No goal: a check that passes on half of the work is
 * the user's word for it. But under a goal that is met it must not go unread.
 */
export const believedChecked = (rows) =>
  sentencesBy(rows, (sum, who) => `${sum} were safe beside the check although it shows: ${who}`);

function sentencesBy(rows, say) {
  const half = rows.filter((row) => !isFinished(row) && row.of === "shows");
  return [...new Set(half.map(({ who }) => who))].flatMap((who) => {
    const { safe, total, share } = sumOf(half.filter((row) => row.who === who));
    return safe > 0 ? [say(`${safe} of ${total} half-done groups (${percent(share)})`, who)] : [];
  });
}
