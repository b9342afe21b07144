// What counts: half-done groups called safe although it shows (none may be), finished groups called safe (most must be).
export const GOAL = { records: 0.75, without: 0.55, language: 0.5, leastHalfDone: 2000, leastFinished: 20 };
const LANGUAGES = ["TS/JS", "Python", "Go", "Rust"];
const RECORDS = "calls recorded";
const WITHOUT = "turn completed";

const totalOf = ({ safe, risky, unknown }) => safe + risky + unknown;
export function sumOf(rows) {
  const sum = { safe: 0, risky: 0, unknown: 0 };
  for (const row of rows) for (const verdict of Object.keys(sum)) sum[verdict] += row[verdict];
  return { ...sum, total: totalOf(sum), share: totalOf(sum) > 0 ? sum.safe / totalOf(sum) : 0 };
}
export const percent = (share) => `${(share * 100).toFixed(1)} %`;
const isHalf = ({ kind }) => kind !== "finished";
const isPlain = ({ kind, of }) => kind === "finished" && of === "plain and provable";

export function headline(rows) {
  const half = rows.filter(isHalf);
  return {
    strong: sumOf(half.filter(({ of }) => of === "shows")),
    nowhere: sumOf(half.filter(({ of }) => of !== "shows")),
    records: sumOf(rows.filter((row) => isPlain(row) && row.who === RECORDS)),
    without: sumOf(rows.filter((row) => isPlain(row) && row.who === WITHOUT)),
    all: sumOf(rows.filter((row) => row.kind === "finished" && row.who === RECORDS)),
  };
}

/** What is missed, as sentences; none: the goals are met. */
export function missedGoals(rows, goal = GOAL) {
  const { strong, records, without } = headline(rows);
  const missed = [];
  if (strong.safe > 0) missed.push(`${strong.safe} half-done groups were called safe although it shows`);
  if (strong.total < goal.leastHalfDone)
    missed.push(`only ${strong.total} half-done groups were judged, not ${goal.leastHalfDone}`);
  const want = (name, { share, total }, least) => {
    if (total < goal.leastFinished) missed.push(`only ${total} finished groups: ${name}`);
    else if (share < least)
      missed.push(`${percent(share)} of finished groups were called safe, not ${percent(least)}: ${name}`);
  };
  want("with an adapter's records", records, goal.records);
  want("without any", without, goal.without);
  for (const language of LANGUAGES)
    want(
      `${language}, with an adapter's records`,
      sumOf(finishedIn(rows, language).filter(({ who }) => who === RECORDS)),
      goal.language,
    );
  return missed;
}

/** Of a language that is only parsed nothing is provable; all that is plain otherwise counts, so that this shows. */
const finishedIn = (rows, language) => {
  const of = rows.filter((row) => row.kind === "finished" && row.language === language);
  const plain = of.filter(isPlain);
  return plain.length > 0 ? plain : of;
};

export function printFigures(rows, missed) {
  const { strong, nowhere, records, without, all } = headline(rows);
  const line = (name, { safe, total, share }) =>
    console.log(`${name.padEnd(58)} ${safe} of ${total}, ${percent(share)}`);
  line("half-done and it shows: called safe", strong);
  line("half-done and it shows nowhere: called safe", nowhere);
  line("finished, plain and provable, calls recorded: safe", records);
  line("finished, plain and provable, turn completed: safe", without);
  line("finished, all, calls recorded: safe", all);
  table(
    "half-done and it shows, by kind",
    rows.filter((row) => isHalf(row) && row.of === "shows"),
    "kind",
  );
  table(
    "half-done and it shows, by who saw it",
    rows.filter((row) => isHalf(row) && row.of === "shows"),
    "who",
  );
  table(
    "half-done and it shows nowhere, by kind",
    rows.filter((row) => isHalf(row) && row.of !== "shows"),
    "kind",
  );
  table(
    "half-done and it shows nowhere, by who saw it",
    rows.filter((row) => isHalf(row) && row.of !== "shows"),
    "who",
  );
  table(
    "half-done, by language",
    rows.filter((row) => isHalf(row) && row.of === "shows"),
    "language",
  );
  table("finished, plain and provable, by who saw it", rows.filter(isPlain), "who");
  for (const who of [RECORDS, WITHOUT])
    table(
      `finished, by language, ${who}`,
      rows.filter((row) => row.kind === "finished" && row.who === who),
      "language",
    );
  for (const sentence of missed) console.log(`MISSED: ${sentence}`);
  if (missed.length === 0) console.log("Every goal is met.");
}

function table(title, rows, by) {
  console.log(`\n${title}\n${"".padEnd(36)} groups   safe  risky unknown   plain and provable: groups, safe`);
  for (const name of [...new Set(rows.map((row) => row[by]))].sort()) {
    const of = rows.filter((row) => row[by] === name);
    const [sum, plain] = [sumOf(of), sumOf(of.filter(isPlain))];
    const numbers = [sum.total, sum.safe, sum.risky, sum.unknown].map((number) => String(number).padStart(6));
    console.log(
      `${name.padEnd(36)} ${numbers.join(" ")} ${String(plain.total).padStart(8)} ${String(plain.safe).padStart(6)}`,
    );
  }
}
