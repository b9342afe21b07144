// bench/triage/NOTES.md: what the judge was measured by, from the figures the bench wrote (bench/triage/figures/); and the few of
// them that docs/triage.md shows.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  GOAL_VERIFIED_RECALL,
  headline,
  missedGoals,
  missedVerified,
  percent,
  totalOf,
} from "../../bench/triage/score.mjs";
import { REPORTED } from "../../bench/triage/sets.mjs";
import { historiesInShort } from "./histories-figures.mjs";

const FIGURES = join(import.meta.dirname, "../../bench/triage/figures");
const read = (set) => {
  const file = join(FIGURES, `${set}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
};

function newestFigures() {
  const reports = REPORTED.map((one) => ({ ...one, figures: read(one.set) })).filter(
    ({ figures }) => figures,
  );
  const checked = reports.map(({ set }) => read(`${set}-checked`)).findLast((one) => one !== null);
  return { reports, newest: { ...reports.at(-1)?.figures, verified: checked ?? null } };
}

export function measuredPage() {
  const { reports, newest } = newestFigures();
  return `${[
    `# What the judge was measured by\n\n<!-- Made from bench/triage/figures and bench/triage/sets.mjs: npm run docs -->\n\nThe notebook of the benchmark. What the verdicts mean: [docs/triage.md](../../docs/triage.md).`,
    lead(newest),
    history(reports),
    how(),
    table(newest.rows),
    untold(newest.rows),
    why(newest),
    verified(newest),
    leftOut(newest),
    CUT_ENDS,
  ].join("\n\n")}\n`;
}

/** What a user needs of it. */
export function figuresInShort() {
  const { newest } = newestFigures();
  const { wrong, halfDone, finished, recall } = headline(newest.rows);
  return `## Measured
On work made from published packages nobody had looked at before, **${number(wrong)} of ${number(halfDone)}** half-done groups were called safe, and
**${percent(recall)}** of ${number(finished)} finished ones whose operations ended: it errs towards a look. [bench/triage/NOTES.md](../bench/triage/NOTES.md) says how,
kind by kind, and what each report taught.

${historiesInShort(missedOf(newest))}`;
}

/** The published packages: what its goals are today, of figures as their run had them. */
function missedOf({ set, at, rows, verified: checked }) {
  return [
    { of: `the published packages (${set}, ${at})`, missed: missedGoals(rows) },
    ...(checked
      ? [
          {
            of: `the published packages with the user's check (${checked.set}, ${checked.at})`,
            missed: missedVerified(checked.rows),
          },
        ]
      : []),
  ];
}

const number = (value) => value.toLocaleString("en-US");
const rowOf = (rows, kind, level) =>
  rows.find((row) => row.kind === kind && row.agent === "finished" && row.level === level);
const shareOf = (row) => (row && totalOf(row) > 0 ? row.safe / totalOf(row) : 0);

function lead({ set, seed, at, pairs, packages, rows, missed, isSeen, verified: checked }) {
  const { wrong, halfDone, finished, recall } = headline(rows);
  const followed = rowOf(rows, "finished, languages it follows", "operations");
  const configured = rowOf(rows, "finished, with configuration", "operations");
  return `## Measured
\`npm run bench:triage\` takes pairs of neighbouring published versions of npm packages as the work of an agent, cuts it in the
ways work is cut, and asks the judge. These are the figures of ${pairs} pairs of ${packages} packages nobody had looked at
(\`bench/triage/sets/${set}.json\`, seed ${seed}, ${at}).${isSeen ? "" : UNSEEN}

- Half-done groups called safe: **${number(wrong)} of ${number(halfDone)}** (goal: none of at least 2,000).
- Finished groups called safe, with operations: **${percent(recall)}** of ${number(finished)} (goal: at least 70 %). Where all files are in
  languages the judge follows, ${percent(shareOf(followed))} of ${number(totalOf(followed))}; with changes of configuration left in, ${percent(shareOf(configured))}.
${checked ? `- Finished groups called safe with the user's check, where HEAD passes it: ${verifiedLine(checked)}.\n` : ""}${[...missed, ...(checked?.missed ?? [])].length === 0 ? "- Every goal is met." : [...missed, ...(checked?.missed ?? [])].map((sentence) => `- Missed: ${sentence}.`).join("\n")}`;
}

/** Of figures from before the capture of an operation's end was a witness, and an exit code was none. */
const UNSEEN = ` They are from before the capture of an
ended operation was a witness and an exit code was none (S3, L7): their operations ended without one, as by a marker on stdout,
so finished work was doubted that is not any more; and no check took a doubt away. The benchmark has since then ended finished
work by \`op end\`, and prints what exit codes alone and lies that were seen make of it; it has not been run on a new set yet.`;

function verifiedLine({ rows }) {
  const [first, second] = ["operations", "turns"].map((level) => rowOf(rows, "finished", level));
  return `**${percent(shareOf(first))}** of ${number(totalOf(first))} (goal: at least ${percent(GOAL_VERIFIED_RECALL)}); by turns alone, in smaller groups, ${percent(shareOf(second))} of ${number(totalOf(second))}`;
}

function history(reports) {
  const line = ({ set, told, figures }) => {
    const { wrong, halfDone, recall } = headline(figures.rows);
    return `| ${set} | ${figures.at} | ${number(wrong)} of ${number(halfDone)} | ${percent(recall)} | ${told} |`;
  };
  return `**Which packages, and why they can be believed.** Rules are made while looking at packages, so their figures on the same
packages say little. The packages of a report are chosen before anything of them is judged, by a rule and a seed
(\`bench/triage/choose.mjs\`): those that packages already known depend on, and a list of packages that are not JavaScript alone.
Names and versions are pinned in \`bench/triage/sets/\`. A report is run once, and its figures stay whatever they are; what it
teaches goes into the rules, and the next report has other packages.

| set | run | half-done called safe | finished called safe | what became of it |
|---|---|---|---|---|
| (first) | before 2026-11-15 | 15 of 9,750 | | 80 packages; the rules were mended after looking, and the packages joined those to develop on |
| (first, again) | 2026-11-15 | 2 of 9,802 | 72.6 % | the same packages with another seed: no longer unseen. More states of them, later, showed that this was luck: of 3,000 groups cut at a line that parses 19 were called safe. Rules mended, packages to develop on |
${reports.map(line).join("\n")}`;
}

const how =
  () => `**How to read the table.** *cut off*: the agent was killed; its operation is open, its turn interrupted. *lying*: the same
files, but the operation ended, by a marker that nobody waits for, and the turn completed. *lying, seen*: it ended by \`op end\`,
whose capture has these very bytes: a lie about a whole file is the agent's word, so these are printed and not counted.
*operations*: operations and turns are known (every second operation names its files); *turns*: no operations, the agent's own
end records; *exit code*: no operations, and the process ended with 0; *diff*: the two trees alone. A group counts as half-done when it holds a file that
the cut damaged, or one that names what is missing; the other groups of the same state are whole and do not count. A state is
counted once, however often chance makes it.

- *file missing*: new files that others name are not there yet.
- *truncated at a byte*, *at a line that parses*: one file ends early, with something other than comments lost.
- *rename half done*: copied and not yet removed; moved with one caller left behind; removed and not yet written.
- *lockfile not updated*: manifest or lockfile as it was, both made by \`npm i --package-lock-only\`.
- *caller without callee*: a caller wants a name that its file does not give yet, or calls a method that no file has yet.
- *config downgraded*: a version went down in one of eight kinds of manifest.
- *stub in place of a file*: bodies emptied, thrown or null; the beginning and a word that the rest stays; an empty module.
- *a file left as it was*: any one file of the work.`;

function table(rows) {
  const line = (row) =>
    `| ${row.kind} | ${row.agent} | ${row.level} | ${totalOf(row)} | ${row.safe} | ${row.risky} | ${row.unknown} |`;
  return `| kind | agent | level | groups | safe | risky | unknown |
|---|---|---|---|---|---|---|
${rows.map(line).join("\n")}`;
}

function untold(rows) {
  const all = rows.filter(({ agent }) => agent === "not tellable");
  const safe = all.reduce((sum, row) => sum + row.safe, 0);
  return `**Not tellable** are states that a liar left and that no reader of the tree can tell from a smaller piece of work that is
whole: a file left as it was by an operation that does not name its files, and a file cut so that it ends with the very
statement it ended with before; and, whoever left it, a journal that only grew by whole lines (since report-12, a new one after it), which is
append-only and whole wherever it stops. They are printed and not counted: ${number(safe)} of ${number(all.reduce((sum, row) => sum + totalOf(row), 0))} were called safe. The first two
count where the agent was cut off, and where the operation named its files.`;
}

function why({ reasons }) {
  const rows = reasons.map(({ rule, groups, alone }) => `| ${rule} | ${groups} | ${alone} |`);
  return `**Why finished work was not called safe**, with operations: the groups each rule spoke against, and those that nothing else
did. A rule that is wrong about finished work costs a look at it; one that is wrong about half-done work costs the work.

| rule | groups | alone |
|---|---|---|
${rows.join("\n")}`;
}

function verified({ set, verified: checked }) {
  if (!checked)
    return "**With the user's check**: not measured yet (`node bench/triage/run.mjs --only-checked --write`).";
  const rows = checked.rows.filter(({ kind }) => kind !== "finished, with configuration");
  const { wrong, halfDone } = headline(rows);
  return `**With the user's check.** For ${checked.pairs} pairs of ${checked.packages} packages of ${checked.set} a check was found that passes on HEAD: its entry
loads, and for ${checked.withTests} of them tests that it publishes pass, too. It is run on HEAD with every group that is not risky
already, as \`inspect --verify\` does. Half-done groups called safe: **${number(wrong)} of ${number(halfDone)}**. A check takes the place of the agent's
word (without one, work that nobody calls done is never safe: see *diff*); it does not win over a risky rule (S3), nor over a
note, but for doubts about the end of work that somebody said is done: a check passes on half a file as well as on a whole one,
as long as nothing it runs needs the other half. ${checked.isSeen ? "" : "When these figures were made it won over no note at all. "}A check that fails takes the word away. Beside a check nobody's word counts, so a file left as it was is told by an operation or by nobody.
${checked.set === set && !checked.isKnown ? "" : `The rules had been mended on ${checked.set} before this was run: it says what a check adds, not what unseen work gets.\n`}
${table(rows)}

Why finished work was not called safe with the check:

| rule | groups | alone |
|---|---|---|
${checked.reasons.map(({ rule, groups, alone }) => `| ${rule} | ${groups} | ${alone} |`).join("\n")}`;
}

const leftOut = ({
  locked,
}) => `**What is left out, and why.** Built files (\`dist/\`, \`esm/\`, minified, maps) and lockfiles as published: nobody writes
them by hand. Binary files and files over 200 KiB. Pairs in which more than 25 files changed: rewrites of the world; at most
six pairs of one package. Configuration, but for its own kind and the rows that say so: every change of it is risky by rule,
which would flatter the figures of half-done work. Files that are no longer packed (but for source) count as kept. ${locked} pairs
whose dependencies changed count twice among the finished, without and with their lockfiles. Languages other than JavaScript,
TypeScript and Python come from packages with native parts; most kinds of cut are made in scripts alone.`;

const CUT_ENDS = `**What \`open-end\` needs, and what was cut of it.** Every condition behind it was left out, one at a time, and all groups judged again:
the finished ones of report-12 and report-9 at every level, 700 files of them cut at a line that parses, 200 stubs, and of report-12
100 half renames, 60 cuts at a byte and 60 callers without their callee. Gone is what kept no finished group safe that would not have been: a
source and its types that vouch for each other (it spoke in one group, which was not safe for other reasons), a last statement that only got
shorter, a test that cleans up, a program that ends by exiting. All of them only took doubts away, so nothing half-done can be safe by their
going; and where an operation's capture saw the end, nobody doubts it. What stays, stays for what it did there or for a case of the tests that the
packages do not have: short new files and texts, which agents write more than packages do. Measured again on a set nobody had seen (report-13),
on the judge of before and on this one: every row is the same.`;
