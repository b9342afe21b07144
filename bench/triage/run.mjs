// The measured judge: half-done and finished states from published versions of packages, judged at three levels of
// evidence, and with the user's check beside them. Exits 1 when a goal is missed. Needs dist/.
//   node bench/triage/run.mjs [--set NAME] [--seed TEXT] [--per-kind N] [--kind KIND] [--every] [--show N]
//     [--missed] [--no-check | --only-checked] [--checked-pairs N] [--first PACKAGES] [--write] [--known]
// --set: one of sets/, default the newest report. --every: all states of the kinds that can give them. --write: keeps the figures in figures/, for NOTES.md (npm run docs).
// --known: rules were made while looking at the set, which the page then says of the check's figures.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createParsers } from "../../dist/triage/facts/parse/parsers.js";
import { judgeChanges } from "../../dist/triage/verdict/judge.js";
import { withChecks } from "./checks.mjs";
import { isCounted } from "./kinds.mjs";
import { withLocks } from "./locks.mjs";
import { measure } from "./measure.mjs";
import { measureVerified } from "./measure-verified.mjs";
import { loadPairs } from "./pairs.mjs";
import { newReasons } from "./reasons.mjs";
import { missedGoals, missedVerified } from "./score.mjs";
import { NEWEST } from "./sets.mjs";
import { printMissed, printTable } from "./table.mjs";

/** States of each kind; a few more than the goal asks for, as some leave no group that counts. */
const PER_KIND = 250;
/** Pairs a check is sought for, and states of each kind made of them: every one may cost a run of the check. */
const CHECKED_PAIRS = 60;
const CHECKED_PER_KIND = 50;

/** All of a set. */
const MAX_PACKAGES = 1000;

const args = process.argv.slice(2);
const optionOf = (flag, other) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : other);
const set = optionOf("--set", NEWEST);
const seed = optionOf("--seed", "refloat");
const perKind = Number(optionOf("--per-kind", String(PER_KIND)));
const toShow = Number(optionOf("--show", "0"));

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, "sets", `${set}.json`), "utf8"));
const first = Object.entries(packages).slice(0, Number(optionOf("--first", String(MAX_PACKAGES))));
const { pairs, withConfig } = await loadPairs(Object.fromEntries(first));
console.error(`${set}: ${pairs.length} pairs`);

const parsers = createParsers({ isAlone: true });
const judge = (facts) => judgeChanges(facts, parsers);
const shown = [];
const only = optionOf("--kind", undefined);
const missed = [
  ...(args.includes("--only-checked") ? [] : await measureAll()),
  ...(only !== undefined || args.includes("--no-check") ? [] : await measureChecked()),
];
printMissed(missed);
process.exitCode = missed.length > 0 ? 1 : 0;

async function measureAll() {
  const locked = withLocks(pairs);
  const reasons = newReasons();
  const onGroup = (row, group, about) => look(row, group, about, reasons);
  const rows = await measure(
    { pairs, withConfig, locked },
    {
      judge,
      seed,
      perKind,
      only,
      every: args.includes("--every"),
      onGroup,
    },
  );
  show(rows, "");
  const goals = missedGoals(rows);
  keep(set, {
    pairs: pairs.length,
    locked: (await locked).length,
    packages: namesOf(pairs),
    rows,
    missed: goals,
    reasons: reasons.rows(),
  });
  return goals;
}

function show(rows, title) {
  printTable(rows, title);
  for (const line of shown.splice(0)) console.log(line);
}

function keep(name, figures) {
  if (!args.includes("--write") || only !== undefined) return;
  const file = join(import.meta.dirname, "figures", `${name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  // Finished operations are ended by `op end` and seen by its capture: figures of before do not have that.
  const about = { set, seed, at: new Date().toISOString().slice(0, 10), isSeen: true };
  writeFileSync(file, `${JSON.stringify({ ...about, ...figures }, null, 1)}\n`);
}

async function measureChecked() {
  const checked = await withChecks(pairs, Number(optionOf("--checked-pairs", String(CHECKED_PAIRS))));
  console.error(`${checked.length} pairs whose HEAD passes a check`);
  const why = newReasons();
  const onGroup = (row, group, about) => look(row, group, about, row.agent === "finished" ? why : null);
  const rows = await measureVerified(checked, {
    judge,
    seed,
    perKind: Math.min(perKind, CHECKED_PER_KIND),
    onGroup,
  });
  show(rows, "with the user's check, where HEAD passes it");
  const goals = missedVerified(rows);
  keep(`${set}-checked`, {
    isKnown: args.includes("--known"),
    pairs: checked.length,
    packages: namesOf(checked),
    withTests: checked.filter(({ hasTests }) => hasTests).length,
    rows,
    missed: goals,
    reasons: why.rows(),
  });
  return goals;
}

function namesOf(list) {
  return new Set(list.map(({ name }) => name)).size;
}

function look(row, group, { pair, state }, why) {
  if (row.kind === "finished" && row.level === "operations") {
    why?.add(group);
    if (args.includes("--missed") && group.verdict !== "safe") showMissed(row, pair, group);
  }
  if (state === undefined || !isCounted(row) || group.verdict !== "safe" || shown.length >= toShow) return;
  const what = `${row.kind}: ${pair.label}: ${state.damaged.join(", ")}`;
  shown.push(`SAFE ${row.agent} ${row.level} ${what} ${JSON.stringify(group.reasons)}`);
}

function showMissed({ agent }, { label }, { verdict, reasons: all }) {
  const why = all.filter(({ weight }) => weight !== "safe");
  const parts = why.map(({ rule, evidence }) => `${rule} [${evidence.slice(0, 2).join(" | ")}]`);
  console.log(`MISSED ${agent} ${label}: ${verdict} ${parts.join("; ")}`);
}
