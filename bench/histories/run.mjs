// The judge on real histories: finished and half-done states of commits of public projects, by who saw them. Exits 1 when a goal is
// missed. Needs dist/ and the mirrors (REFLOAT_BENCH_MIRRORS: a folder of local clones, see mirrors.mjs).
//   node bench/histories/run.mjs [--set NAME] [--seed TEXT] [--first COMMITS] [--only OWNER/NAME] [--show N] [--missed LANGUAGE] [--write]
// --first: so many commits of each repository. --show: that many half-done groups that were called safe. --missed: why finished work of a
// language is not safe. --write: keeps the figures in figures/, for FIGURES.md (npm run docs).
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createParsers } from "../../dist/triage/facts/parse/parsers.js";
import { judgeChanges } from "../../dist/triage/verdict/judge.js";
import { newReasons } from "../triage/reasons.mjs";
import { pairOf } from "./commits.mjs";
import { measure } from "./measure.mjs";
import { mirrorOf } from "./mirrors.mjs";
import { missedGoals, printFigures } from "./score.mjs";
import { REPORTED } from "./sets.mjs";

const args = process.argv.slice(2);
const optionOf = (flag, other) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : other);
const set = optionOf("--set", REPORTED.at(-1));
const seed = optionOf("--seed", "refloat");
const first = Number(optionOf("--first", "1000"));
const only = optionOf("--only", null);
const toShow = Number(optionOf("--show", "0"));
const missedOf = optionOf("--missed", null);

const { repositories } = JSON.parse(readFileSync(join(import.meta.dirname, "sets", `${set}.json`), "utf8"));
const absent = [];
const pairs = [];
for (const [repository, { commits }] of Object.entries(repositories)) {
  if (only !== null && repository !== only) continue;
  const mirror = mirrorOf(repository);
  if (mirror === null) absent.push(repository);
  else for (const commit of commits.slice(0, first)) pairs.push(pairOf(mirror, repository, commit));
}
for (const repository of absent)
  console.error(`no mirror of ${repository}: left out (REFLOAT_BENCH_MIRRORS)`);
console.error(
  `${set}: ${pairs.length} commits of ${Object.keys(repositories).length - absent.length} repositories`,
);

const parsers = createParsers({ isAlone: true });
const reasons = newReasons();
let shown = 0;
const rows = await measure(pairs, {
  judge: (facts) => judgeChanges(facts, parsers),
  seed,
  onGroup: look,
  onPair: (done, all) => done % 50 === 0 && console.error(`${done} of ${all}`),
});
const missed = missedGoals(rows);
printFigures(rows, missed);
if (missedOf !== null)
  for (const { rule, groups, alone } of reasons.rows()) console.log(`${rule}: ${groups}, alone ${alone}`);
if (args.includes("--write")) keep();
process.exitCode = missed.length > 0 ? 1 : 0;

function look(row, group, { pair, state }) {
  if (row.kind === "finished") {
    const isAsked =
      missedOf === row.language && row.who === "calls recorded" && row.of === "plain and provable";
    if (isAsked) reasons.add(group);
    if (isAsked && group.verdict !== "safe") showMissed(pair, group);
  } else if (group.verdict === "safe" && row.of === "shows" && shown++ < toShow)
    console.log(
      `SAFE ${row.kind}, ${row.who}: ${pair.label}: ${state.damaged.join(", ")} ${JSON.stringify(group.reasons)}`,
    );
}

function showMissed({ label }, { verdict, reasons: all }) {
  const why = all.filter(({ weight }) => weight !== "safe");
  console.log(
    `MISSED ${label}: ${verdict} ${why.map(({ rule, evidence }) => `${rule} [${evidence.slice(0, 2).join(" | ")}]`).join("; ")}`,
  );
}

function keep() {
  const file = join(import.meta.dirname, "figures", `${set}.json`);
  mkdirSync(dirname(file), { recursive: true });
  const at = new Date().toISOString().slice(0, 10);
  writeFileSync(
    file,
    `${JSON.stringify({ set, seed, at, commits: pairs.length, absent, rows, missed }, null, 1)}\n`,
  );
}
