// What counts: half-done groups called safe although it shows (none may be), or, where it shows nowhere, on less than an operation that
// ended or a check that passes (none may be); finished groups called safe (most must be).
export const GOAL = { records: 0.75, without: 0.55, language: 0.5, leastHalfDone: 2000, leastFinished: 20 };
const LANGUAGES = ["TS/JS", "Python", "Go", "Rust"];
const RECORDS = "calls recorded";
/** Without any adapter's records of calls: the agent's own end record, and with no adapter at all what its process exited with. */
const WITHOUT = "turn completed";
const EXIT_ALONE = "exit code";
const WITNESSES = [
  { who: RECORDS, told: "with an adapter's records", least: "records" },
  { who: WITHOUT, told: "without any, on a completed turn", least: "without" },
  { who: EXIT_ALONE, told: "without any, on an exit code alone", least: "without" },
];
/** The one liar whose word counts by design: the operation ended, and its capture has these bytes. */
const LIE_BY_OPERATION = "lied, operation ended";

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
  const nowhere = half.filter(({ of }) => of !== "shows");
  const plainBy = (who) => sumOf(rows.filter((row) => isPlain(row) && row.who === who));
  return {
    strong: sumOf(half.filter(({ of }) => of === "shows")),
    nowhere: sumOf(nowhere),
    nowhereBy: [...new Set(nowhere.map(({ who }) => who))].map((who) => ({
      ...{ who, isByDesign: who === LIE_BY_OPERATION },
      sum: sumOf(nowhere.filter((row) => row.who === who)),
    })),
    records: plainBy(RECORDS),
    without: plainBy(WITHOUT),
    exitAlone: plainBy(EXIT_ALONE),
    all: sumOf(rows.filter((row) => row.kind === "finished" && row.who === RECORDS)),
  };
}

/** Plain and provable work of the languages that have a goal, by who saw it. */
export function byLanguage(rows) {
  return LANGUAGES.map((language) => ({
    language,
    sums: WITNESSES.map(({ who }) => ({
      who,
      sum: sumOf(finishedIn(rows, language).filter((row) => row.who === who)),
    })),
  }));
}

/** What is missed, as sentences; none: the goals are met. */
export function missedGoals(rows, goal = GOAL) {
  const { strong, nowhereBy } = headline(rows);
  const missed = [];
  if (strong.safe > 0) missed.push(`${strong.safe} half-done groups were called safe although it shows`);
  if (strong.total < goal.leastHalfDone)
    missed.push(`only ${strong.total} half-done groups were judged, not ${goal.leastHalfDone}`);
  for (const { who, sum, isByDesign } of nowhereBy)
    if (!isByDesign && sum.safe > 0)
      missed.push(
        `${sum.safe} of ${sum.total} half-done groups (${percent(sum.share)}) that show nowhere were called safe on less than a passed check or an ended operation: ${who}`,
      );
  const want = (name, { share, total }, least) => {
    if (total < goal.leastFinished) missed.push(`only ${total} finished groups: ${name}`);
    else if (share < least)
      missed.push(`${percent(share)} of finished groups were called safe, not ${percent(least)}: ${name}`);
  };
  for (const { who, told, least } of WITNESSES)
    want(told, sumOf(rows.filter((row) => isPlain(row) && row.who === who)), goal[least]);
  for (const { language, sums } of byLanguage(rows))
    for (const [at, { sum }] of sums.entries())
      want(`${language}, ${WITNESSES[at].told}`, sum, goal.language);
  return missed;
}

/** Of a language that is only parsed nothing is provable; all that is plain otherwise counts, so that this shows. */
const finishedIn = (rows, language) => {
  const of = rows.filter((row) => row.kind === "finished" && row.language === language);
  const plain = of.filter(isPlain);
  return plain.length > 0 ? plain : of;
};

export function printFigures(rows, missed) {
  const { strong, nowhere, nowhereBy, records, without, exitAlone, all } = headline(rows);
  const line = (name, { safe, total, share }) =>
    console.log(`${name.padEnd(58)} ${safe} of ${total}, ${percent(share)}`);
  line("half-done and it shows: called safe", strong);
  line("half-done and it shows nowhere: called safe", nowhere);
  for (const { who, sum } of nowhereBy) line(`  of these, ${who}`, sum);
  line("finished, plain and provable, calls recorded: safe", records);
  line("finished, plain and provable, turn completed: safe", without);
  line("finished, plain and provable, exit code alone: safe", exitAlone);
  for (const { language, sums } of byLanguage(rows))
    for (const { who, sum } of sums) line(`  ${language}, ${who}`, sum);
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
  for (const { who } of WITNESSES)
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
