// Makes the states of one set and has them judged. The judge is given, so that the benchmark itself can be tested with
// one that knows nothing and one that believes everything.
import { createMemoryCache } from "../../dist/triage/facts/known/kept.js";
import { factsFor, LEVELS } from "./facts.mjs";
import { agentsOf, EVERY, KINDS } from "./kinds.mjs";
import { isFollowedAll } from "./pairs.mjs";
import { randomFrom } from "./random.mjs";
import { count, newTally } from "./score.mjs";

/** As the one kind wanted: only the finished work. */
const FINISHED = "finished";
/** Rounds over all pairs before a kind is given up. */
const MAX_ROUNDS = 150;

/**
 * `locked`: or a promise of them. `judge`: facts to groups. `perKind`: states made of each kind. `only`: the one kind wanted. `every`:
 * all states of a kind that can give them, and not a sample. `onGroup`: told of every
 * group that counts, with its row, the state it is of and what it is about.
 */
export async function measure(
  { pairs, withConfig, locked },
  { judge, seed, perKind, only, every = false, onGroup, isTold = isToldWithout },
) {
  const tally = newTally();
  const cache = createMemoryCache();
  const tell = (row, group, about) => {
    count(tally, JSON.stringify(row), group.verdict);
    onGroup?.(row, group, about);
  };
  for (const kind of Object.keys(KINDS)) {
    if (only !== undefined && kind !== only) continue;
    const from = kind === "lockfile not updated" ? await locked : pairs;
    const states = every && EVERY[kind] ? everyState(kind, from) : statesOf(kind, from, seed, perKind);
    for await (const { pair, state, number } of states)
      for (const row of agentsOf(kind)) {
        const whole = { before: state.before ?? pair.before, now: state.now, planned: pair.changed };
        const namesPaths =
          row.agent === "lying, files named" || (row.agent !== "not tellable" && number % 2 === 0);
        const how = { isClosed: row.agent !== "cut off", isSeen: row.agent === "lying, seen", namesPaths };
        const facts = factsFor(whole, row.level, how, cache);
        for (const group of await judge(facts, pair))
          if (isDamaged(group, state.damaged))
            tell({ kind, ...row, ...(isTold(kind, row, state) ? {} : { agent: "not tellable" }) }, group, {
              pair,
              state,
              whole,
              facts,
            });
      }
  }
  if (only !== undefined && only !== FINISHED) return rowsOf(tally);
  await judgeFinished([...pairs, ...(await locked)], "finished");
  await judgeFinished(withConfig, "finished, with configuration");
  return rowsOf(tally);

  async function judgeFinished(from, kind) {
    for (const [number, pair] of from.entries()) {
      const now = new Map(pair.changed.map((path) => [path, pair.after.get(path) ?? null]));
      const whole = { before: pair.before, now, planned: pair.changed };
      for (const level of LEVELS) {
        const how = { isClosed: true, isSeen: true, namesPaths: number % 2 === 0 };
        const facts = factsFor(whole, level, how, cache);
        for (const group of await judge(facts, pair)) {
          tell({ kind, agent: "finished", level }, group, { pair, whole, facts });
          if (kind === "finished" && isFollowedAll(pathsOf(group)))
            tell({ kind: "finished, languages it follows", agent: "finished", level }, group, {
              pair,
              whole,
              facts,
            });
        }
      }
    }
  }
}

/** What was cut off is told by that alone; what a liar left may be told by nobody, nor a journal that only grew. */
const isToldWithout = (_kind, { agent }, { isUntold, isGrown }) =>
  !isGrown && !(isUntold && agent.startsWith("lying"));

const rowsOf = (tally) => [...tally].map(([key, verdicts]) => ({ ...JSON.parse(key), ...verdicts }));

export const pathsOf = (group) =>
  group.changes.flatMap(({ change }) => [change.path, change.fromPath ?? change.path]);

const isDamaged = (group, damaged) => {
  const paths = pathsOf(group);
  return damaged.some((path) => paths.includes(path));
};

function* everyState(kind, pairs) {
  const seen = new Set();
  let number = 0;
  for (const pair of pairs)
    for (const state of EVERY[kind](pair))
      if (!isRepeat(seen, pair, state)) yield { pair, state, number: ++number };
}

/** Different states of one kind, round after round over the pairs, each with a seed of its own. */
async function* statesOf(kind, pairs, seed, perKind) {
  const seen = new Set();
  let number = 0;
  for (let round = 0; round < MAX_ROUNDS && number < perKind; round++)
    for (const pair of pairs) {
      if (number >= perKind) return;
      const state = await KINDS[kind](pair, randomFrom(`${seed} ${kind} ${pair.label} ${round}`));
      if (state === null || isRepeat(seen, pair, state)) continue;
      number++;
      yield { pair, state, number };
    }
}

/** The same state twice would count one finding as two. */
function isRepeat(seen, pair, { now }) {
  const key = `${pair.label} ${[...now].map(([path, bytes]) => `${path} ${bytes?.length ?? -1}`).join(" ")}`;
  if (seen.has(key)) return true;
  seen.add(key);
  return false;
}
