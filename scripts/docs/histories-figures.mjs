// bench/histories/FIGURES.md: the judge on real histories in tables, by kind, by who saw it and by language, from the figures the bench
// wrote (bench/histories/figures/); and what of them docs/triage.md shows: the goals that are missed, in one place.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { missedChecked } from "../../bench/histories/checked-score.mjs";
import { byLanguage, GOAL, headline, missedGoals, percent, sumOf } from "../../bench/histories/score.mjs";
import { REPORTED, REPORTED_OF_A_KIND } from "../../bench/histories/sets.mjs";

const FIGURES = join(import.meta.dirname, "../../bench/histories/figures");
const readOne = (name) => {
  const file = join(FIGURES, `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
};
const number = (value) => value.toLocaleString("en-US");
const safeOf = ({ safe, total, share }) =>
  total === 0 ? "none" : `${number(safe)} of ${number(total)} (${percent(share)})`;

function newest() {
  const reports = REPORTED.map(readOne).filter((one) => one !== null);
  const ofAKind = REPORTED_OF_A_KIND.map(readOne).filter((one) => one !== null);
  const checked = REPORTED.map((set) => readOne(`${set}-checked`)).findLast((one) => one !== null);
  return { reports, ofAKind, last: reports.at(-1), checked: checked ?? null };
}

export function historiesPage() {
  const { reports, ofAKind, last, checked } = newest();
  return `${[
    HEAD,
    history([...reports, ...ofAKind]),
    whatMissed(last),
    halfDone(last),
    finished(last),
    ...(checked === null ? [] : [withCheck(checked)]),
    ...ofAKind.flatMap((one) => [whatMissed(one), halfDone(one), finished(one)]),
  ].join("\n\n")}\n`;
}

const HEAD = `# The judge on real histories: the figures

<!-- Made from bench/histories/figures: npm run docs -->

How the states are made, what counts, and what was read of it: [NOTES.md](NOTES.md). Figures of a report stay as its one run had them; what it missed is counted by
today's goals. *Shows*: by the records or in the bytes. *Shows nowhere*: a lie that only a check could tell.`;

function history(reports) {
  const line = ({ set, at, commits, rows }) => {
    const { strong, nowhere, records, without, exitAlone, all } = headline(rows);
    return `| ${[set, at, commits, ...[strong, nowhere, records, without, exitAlone, all].map(safeOf)].join(" | ")} |`;
  };
  return `## Every report
Called safe. The first two columns may have none (but for an ended operation, where it shows nowhere); of the others most must be safe.

| set | run | commits | half-done, shows | shows nowhere | plain and provable: calls recorded | turn completed | exit code alone | all finished, calls recorded |
|---|---|---|---|---|---|---|---|---|
${reports.map(line).join("\n")}`;
}

const listed = (sentences) => sentences.map((sentence) => `- ${sentence}`).join("\n");
const whatMissed = ({ set, rows }) =>
  `## What ${set} missed\n${listed(missedGoals(rows)) || "- Nothing of its goals."}`;

/** Each row of `by` with the share that was called safe in each of the columns. */
function tableOf(title, rows, by, columns) {
  const names = [...new Set(rows.map((row) => row[by]))].sort();
  const line = (name) => {
    const of = rows.filter((row) => row[by] === name);
    return `| ${[name, ...columns.map(({ isOf }) => safeOf(sumOf(of.filter(isOf))))].join(" | ")} |`;
  };
  return `| ${[title, ...columns.map(({ told }) => told)].join(" | ")} |
|---|${columns.map(() => "---|").join("")}
${names.map(line).join("\n")}`;
}

function halfDone({ set, rows }) {
  const half = rows.filter(({ kind }) => kind !== "finished");
  const columns = [
    { told: "shows: called safe", isOf: ({ of }) => of === "shows" },
    { told: "shows nowhere: called safe", isOf: ({ of }) => of !== "shows" },
  ];
  return `## Half-done work of ${set}
${[
  tableOf("kind", half, "kind", columns),
  tableOf("who saw it", half, "who", columns),
  tableOf("language", half, "language", columns),
].join("\n\n")}`;
}

function finished({ set, rows }) {
  const done = rows.filter(({ kind }) => kind === "finished");
  const classes = [
    { told: "plain and provable", isOf: ({ of }) => of === "plain and provable" },
    { told: "other", isOf: ({ of }) => of !== "plain and provable" },
  ];
  const [first] = byLanguage(rows);
  const witnesses = first.sums.map(({ who }) => ({ told: who, isOf: (row) => row.who === who }));
  return `## Finished work of ${set}
Called safe. Other than plain and provable: configuration, files taken away, what a manifest runs, and languages whose references are not followed.

${[
  tableOf("who saw it", done, "who", classes),
  tableOf("language: plain and provable", done.filter(classes[0].isOf), "language", witnesses),
  tableOf("language: all", done, "language", witnesses),
].join("\n\n")}`;
}

function withCheck({ set, at, first, blind, real, beside = [] }) {
  const missed = missedChecked({ blind, real });
  const columns = [
    { told: "half-done, shows", isOf: ({ kind, of }) => kind !== "finished" && of === "shows" },
    { told: "half-done, shows nowhere", isOf: ({ kind, of }) => kind !== "finished" && of !== "shows" },
    {
      told: "finished, plain and provable",
      isOf: ({ kind, of }) => kind === "finished" && of === "plain and provable",
    },
    { told: "finished, all", isOf: ({ kind }) => kind === "finished" },
  ];
  const part = (title, { rows, used }) =>
    `**${title}**, ${number(used)} commits. Called safe:\n\n${tableOf("who saw it", rows, "who", columns)}`;
  const few = first < 1000 ? `, the first ${first} commits of each repository` : "";
  return `## With the user's check (${set}, ${at}${few})
${[...missed.map((sentence) => `- Missed: ${sentence}`), ...beside.map((sentence) => `- Beside the goals: ${sentence}`)].join("\n") || "- Every goal is met."}

${part("Blind: modelled, a check that passes on every state, the worst there can be", blind)}

${part("Real: the project's own check, where it runs without a network", real)}`;
}

const MODEL_ALONE = "model without its migration";
/** Of models that a liar left without their migration, on a completed turn: the set that nobody had looked at. */
export function modelsBelieved() {
  const rows = newest().ofAKind.flatMap((one) => one.rows);
  return safeOf(
    sumOf(rows.filter(({ kind, who }) => kind === MODEL_ALONE && who === "lied, turn completed")),
  );
}

/** What a user needs of it: how it does, and all that it misses. `others`: what other benchmarks missed, `{ of, missed }`. */
export function historiesInShort(others) {
  const { ofAKind, last, checked } = newest();
  const { strong, nowhereBy, records, without, exitAlone } = headline(last.rows);
  const lies = nowhereBy.map(({ who, sum }) => `${who.replace("lied, ", "")} ${safeOf(sum)}`).join(", ");
  const languages = byLanguage(last.rows).map(
    ({ language, sums }) => `| ${[language, ...sums.map(({ sum }) => safeOf(sum))].join(" | ")} |`,
  );
  const about = ({ set, commits, at }) => `${set} (${number(commits)} commits, ${at})`;
  const parts = [
    { of: about(last), missed: missedGoals(last.rows) },
    {
      of: `${last.set}, with the user's check`,
      missed: checked === null ? [] : [...missedChecked(checked), ...(checked.beside ?? [])],
    },
    ...ofAKind.map((one) => ({ of: about(one), missed: missedGoals(one.rows) })),
    ...others,
  ].filter(({ missed }) => missed.length > 0);
  return `On states made from commits of public projects (${last.set}: ${number(last.commits)} commits that nobody had looked at, ${last.at}), **${number(strong.safe)} of ${number(strong.total)}** half-done groups whose half shows
were called safe. Lies that show in no byte were believed: ${lies}. Of finished groups that are plain and in languages it follows
these were called safe; with an agent's records of its calls, on its own end record, and where nothing is known but that it exited with 0:

| language | calls recorded | turn completed | exit code alone |
|---|---|---|---|
| all | ${[records, without, exitAlone].map(safeOf).join(" | ")} |
${languages.join("\n")}

All tables: [bench/histories/FIGURES.md](../bench/histories/FIGURES.md); what was read of it: [NOTES.md](../bench/histories/NOTES.md).

### What it misses
${parts.length === 0 ? "- Nothing of its goals." : parts.map(({ of, missed }) => `Of ${of}:\n\n${listed(missed)}`).join("\n\n")}

Goals: none half-done that shows called safe (of at least ${number(GOAL.leastHalfDone)}); none that shows nowhere, but by a passed check or an ended operation; of finished work that is
plain and provable ${percent(GOAL.records)} with records, ${percent(GOAL.without)} without, ${percent(GOAL.language)} in each of four languages (of at least ${GOAL.leastFinished}).`;
}
