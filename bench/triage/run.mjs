// The measured judge: half-done and finished states from published versions of packages, judged at three levels of
// evidence. Exits 1 when a goal is missed. Needs dist/.
//   node bench/triage/run.mjs [--develop] [--show N] [--write] [--seed TEXT]
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryCache } from "../../dist/triage/analysis-cache.js";
import { judgeChanges } from "../../dist/triage/judge.js";
import { createParsers } from "../../dist/triage/parsers.js";
import * as cuts from "./cuts.mjs";
import { configDowngraded } from "./downgrades.mjs";
import { factsFor, LEVELS } from "./facts.mjs";
import { lockNotUpdated, withLocks } from "./locks.mjs";
import { DEVELOP, namesIn, REPORT } from "./packages.mjs";
import { loadPairs } from "./pairs.mjs";
import { randomFrom } from "./random.mjs";
import { count, MIN_PER_KIND, missedGoals, newTally } from "./score.mjs";
import { printTable } from "./table.mjs";

const KINDS = {
  "file missing": cuts.missingFile,
  "truncated at a byte": cuts.truncatedAtByte,
  "truncated at a line that parses": cuts.truncatedAtLine,
  "rename half done": cuts.renameHalfDone,
  "lockfile not updated": lockNotUpdated,
  "caller without callee": cuts.callerWithoutCallee,
  "config downgraded": configDowngraded,
  "stub in place of a file": cuts.stubInPlace,
};
/** Rounds over all pairs before a kind is given up. */
const MAX_ROUNDS = 150;

const args = process.argv.slice(2);
const optionOf = (flag, other) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : other);
const set = args.includes("--develop") ? "develop" : "report";
const seed = optionOf("--seed", "refloat");
const toShow = Number(optionOf("--show", "0"));

const parsers = createParsers();
const cache = createMemoryCache();
const { pairs, withConfig } = await loadPairs(namesIn(set === "develop" ? DEVELOP : REPORT));
const locked = await withLocks(pairs);
console.error(`${pairs.length} pairs, ${locked.length} of them with lockfiles`);
const tally = newTally();
const shown = [];

for (const [kind, cut] of Object.entries(KINDS))
  await judgeKind(kind, cut, cut === lockNotUpdated ? locked : pairs);
await judgeLeft();
await judgeFinished([...pairs, ...locked], "finished");
await judgeFinished(withConfig, "finished, with configuration");

const rows = [...tally].map(([key, verdicts]) => ({ ...JSON.parse(key), ...verdicts }));
const missed = missedGoals(rows);
printTable(rows, missed);
for (const line of shown) console.log(line);
if (args.includes("--write")) {
  const figures = {
    set,
    seed,
    at: new Date().toISOString().slice(0, 10),
    pairs: pairs.length,
    packages: new Set(pairs.map(({ name }) => name)).size,
    rows,
    missed,
  };
  writeFileSync(join(import.meta.dirname, "figures.json"), `${JSON.stringify(figures, null, 1)}\n`);
}
process.exitCode = missed.length > 0 ? 1 : 0;

async function judgeKind(kind, cut, from) {
  const seen = new Set();
  let made = 0;
  for (let round = 0; round < MAX_ROUNDS && made < MIN_PER_KIND; round++) {
    for (const pair of from) {
      const random = randomFrom(`${seed} ${kind} ${pair.label} ${round}`);
      const state = made < MIN_PER_KIND * 1.25 ? cut(pair, random) : null;
      if (state === null || isRepeat(seen, pair, state)) continue;
      made++;
      const whole = { before: state.before ?? pair.before, now: state.now, planned: pair.changed };
      const about = `${kind}: ${pair.label}: ${state.damaged.join(", ")}`;
      for (const level of LEVELS)
        await judgeState(whole, state.damaged, { kind, agent: "cut off", level }, about, made);
      for (const level of LEVELS.slice(0, 2))
        await judgeState(whole, state.damaged, { kind, agent: "lying", level }, about, made);
    }
  }
  console.error(`${kind}: ${made} states`);
}

/** The same state twice would count one finding as two. */
function isRepeat(seen, pair, { now }) {
  const key = `${pair.label} ${[...now].map(([path, bytes]) => `${path} ${bytes?.length ?? -1}`).join(" ")}`;
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
}

async function judgeState(state, damaged, row, about, number) {
  const isClosed = row.agent !== "cut off";
  const facts = factsFor(state, row.level, { isClosed, namesPaths: number % 2 === 0 }, cache);
  for (const group of await judgeChanges(facts, parsers)) {
    const paths = group.changes.flatMap(({ change }) => [change.path, change.fromPath ?? change.path]);
    if (!damaged.some((path) => paths.includes(path))) continue;
    count(tally, JSON.stringify(row), group.verdict);
    if (group.verdict === "safe" && shown.length < toShow)
      shown.push(`SAFE ${row.agent} ${row.level} ${about} ${JSON.stringify(group.reasons)}`);
  }
}

/** A file left as it was, the operation ended: where nothing names it, no reader of the tree can tell. */
async function judgeLeft() {
  for (const pair of pairs) {
    const state = cuts.anyFileLeft(pair, randomFrom(`${seed} left ${pair.label}`));
    if (state === null) continue;
    const row = { kind: "a file left as it was", agent: "not tellable", level: "operations" };
    await judgeState(
      { before: pair.before, now: state.now, planned: pair.changed },
      state.damaged,
      row,
      pair.label,
      1,
    );
  }
}

async function judgeFinished(from, kind) {
  for (const [number, pair] of from.entries()) {
    const now = new Map(pair.changed.map((path) => [path, pair.after.get(path) ?? null]));
    const state = { before: pair.before, now, planned: pair.changed };
    for (const level of LEVELS) {
      const facts = factsFor(state, level, { isClosed: true, namesPaths: number % 2 === 0 }, cache);
      for (const group of await judgeChanges(facts, parsers)) {
        count(tally, JSON.stringify({ kind, agent: "finished", level }), group.verdict);
        if (args.includes("--missed") && kind === "finished" && level === "operations")
          showMissed(pair, group);
      }
    }
  }
}

function showMissed({ label }, { verdict, reasons }) {
  if (verdict === "safe") return;
  const why = reasons.filter(({ weight }) => weight !== "safe");
  const parts = why.map(({ rule, evidence }) => `${rule} [${evidence.slice(0, 2).join(" | ")}]`);
  console.log(`MISSED ${label}: ${verdict} ${parts.join("; ")}`);
}
