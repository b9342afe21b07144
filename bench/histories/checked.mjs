// The same states with the user's check beside the witnesses: what `inspect --verify` makes of them.
//   node bench/histories/checked.mjs [--set NAME] [--seed TEXT] [--first COMMITS] [--only OWNER/NAME] [--write]
// Two kinds of check, never mixed:
//   blind  modelled: it passes on every state. On finished work every sound check passes, so its recall is that of any check; on
//          half-done work it is the worst there can be: what is called safe beside it no check could have caught worse.
//   real   the project's own build or tests, run in a scratch folder on HEAD and on HEAD with the work, for projects that build from what
//          this machine has without a network. Commits whose HEAD does not pass it are left out, as `verify` leaves them out.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tryTogether } from "../../dist/salvage/check/try-together.js";
import { createParsers } from "../../dist/triage/facts/parse/parsers.js";
import { judgeChanges } from "../../dist/triage/verdict/judge.js";
import { believedChecked, checkedHeadline, merged, missedChecked } from "./checked-score.mjs";
import { pairOf } from "./commits.mjs";
import { measure } from "./measure.mjs";
import { mirrorOf } from "./mirrors.mjs";
import { realCheckOf } from "./real-checks.mjs";
import { percent } from "./score.mjs";
import { REPORTED } from "./sets.mjs";

/** As many runs of a check as `verify` allows itself. */
const MAX_RUNS = 30;
const BLIND = async () => true;

/** Judged, tried together first and then by halves, judged again with what the check said: as salvage/check/verify.ts does. */
export function judgingWith(judge, check) {
  return async (facts) => {
    const first = await judge(facts);
    const tried = first.filter(({ verdict }) => verdict !== "risky");
    if (tried.length === 0) return first;
    const verify = { command: "the check", head: "passed", clashing: [] };
    const withAll = await judge({ ...facts, verify: { ...verify, groups: outcomes(tried, "passed") } });
    const keepable = new Set(withAll.flatMap(({ id, verdict }) => (verdict === "safe" ? [id] : [])));
    const run = async (set) => check(await changesOf(set, facts));
    const kept = tried.filter(({ id }) => keepable.has(id));
    const found = await tryTogether(kept, { runs: { left: MAX_RUNS } }, run);
    const groups = new Map([
      ...outcomes(found.passed, "passed"),
      ...outcomes([...found.failed, ...found.clashing], "failed"),
      ...outcomes(found.untried, "not-run"),
    ]);
    return judge({ ...facts, verify: { ...verify, groups } });
  };
}

const outcomes = (groups, outcome) => new Map(groups.map(({ id }) => [id, outcome]));

async function changesOf(groups, facts) {
  const now = new Map();
  for (const { change } of groups.flatMap(({ changes }) => changes)) {
    if (change.fromPath !== undefined) now.set(change.fromPath, null);
    now.set(change.path, change.to === null ? null : Buffer.from(await facts.bytesOf(change, "after")));
  }
  return now;
}

/** Rows of one kind of check; `checkOf(pair)`: null leaves the pair out. */
export async function measureChecked(pairs, { judge, seed, checkOf }) {
  const rows = [];
  let used = 0;
  for (const pair of pairs) {
    const check = await checkOf(pair);
    if (check === null) continue;
    used++;
    rows.push(...(await measure([pair], { judge: judgingWith(judge, check.passes), seed })));
    await check.close?.();
  }
  return { rows: merged(rows), used };
}

function printChecked(title, { rows, used }) {
  const { strong, nowhere, finished } = checkedHeadline(rows);
  const line = (name, { safe, total, share }) =>
    console.log(`  ${name.padEnd(60)} ${safe} of ${total}, ${percent(share)}`);
  console.log(`${title}: ${used} commits`);
  line("half-done and it shows: called safe", strong);
  for (const sentence of believedChecked(rows)) console.log(`    ${sentence}`);
  line("half-done and it shows nowhere: called safe", nowhere);
  for (const { who, plain, all } of finished) {
    line(`finished, plain and provable, ${who}: safe`, plain);
    line(`finished, all, ${who}: safe`, all);
  }
}

async function main(args) {
  const optionOf = (flag, other) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : other);
  const set = optionOf("--set", REPORTED.at(-1));
  const seed = optionOf("--seed", "refloat");
  const first = Number(optionOf("--first", "1000"));
  const only = optionOf("--only", null);
  const { repositories } = JSON.parse(readFileSync(join(import.meta.dirname, "sets", `${set}.json`), "utf8"));
  const pairs = Object.entries(repositories).flatMap(([repository, { commits }]) => {
    const mirror = only !== null && only !== repository ? null : mirrorOf(repository);
    return mirror === null ? [] : commits.slice(0, first).map((one) => pairOf(mirror, repository, one));
  });
  const parsers = createParsers({ isAlone: true });
  const judge = (facts) => judgeChanges(facts, parsers);
  const blind = await measureChecked(pairs, { judge, seed, checkOf: async () => ({ passes: BLIND }) });
  printChecked("a check that passes on everything (modelled)", blind);
  const real = await measureChecked(pairs, { judge, seed, checkOf: realCheckOf });
  printChecked("the project's own check (real)", real);
  const missed = missedChecked({ blind, real });
  const beside = believedChecked(blind.rows);
  for (const sentence of missed) console.log(`missed: ${sentence}`);
  if (args.includes("--write")) {
    const figures = join(import.meta.dirname, "figures");
    mkdirSync(figures, { recursive: true });
    const at = new Date().toISOString().slice(0, 10);
    const kept = { set, seed, at, first, blind, real, missed, beside };
    writeFileSync(join(figures, `${set}-checked.json`), `${JSON.stringify(kept, null, 1)}\n`);
  }
  process.exitCode = missed.length > 0 ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
