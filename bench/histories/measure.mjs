// Makes the states of a set and has them judged. The judge is given, so that the benchmark itself can be tested with one that knows
// nothing and one that believes everything.
import { createMemoryCache } from "../../dist/triage/facts/known/kept.js";
import { randomFrom } from "../triage/random.mjs";
import { isPlainAndProvable, languageOfPaths } from "./commits.mjs";
import { CUTS, usesWhatIsMissing } from "./cuts.mjs";
import { FINISHED, factsBy, HALF_DONE } from "./witnesses.mjs";

/** Tries per commit and kind: some cuts hit nothing at the first. */
const TRIES = 6;

/** `onGroup(row, group, about)` is told of every group that counts. Gives rows {kind, who, language, class, safe, risky, unknown}. */
export async function measure(pairs, { judge, seed, onGroup, onPair }) {
  const tally = new Map();
  const tell = (row, group, about) => {
    const key = JSON.stringify(row);
    const counts = tally.get(key) ?? { safe: 0, risky: 0, unknown: 0 };
    counts[group.verdict]++;
    tally.set(key, counts);
    onGroup?.(row, group, about);
  };
  for (const [number, pair] of pairs.entries()) {
    const cache = createMemoryCache();
    for (const { kind, state } of statesOf(pair, seed)) await judgeHalf(pair, kind, state, cache);
    await judgeFinished(pair, cache);
    onPair?.(number + 1, pairs.length);
  }
  return [...tally].map(([key, counts]) => ({ ...JSON.parse(key), ...counts }));

  async function judgeHalf(pair, kind, state, cache) {
    const whole = { before: pair.before, now: state.now, planned: pair.changed };
    for (const witness of HALF_DONE) {
      const facts = factsBy(witness, whole, state.damaged, cache);
      for (const group of await judge(facts)) {
        const paths = pathsOf(group);
        const damaged = state.damaged.filter((path) => paths.includes(path));
        if (damaged.length === 0) continue;
        // A liar's state that shows in no byte rests on his word: a class of its own, with its number.
        const of = witness.isTold || isShown(pair, { ...state, damaged }) ? "shows" : "shows nowhere";
        tell({ kind, who: witness.who, language: languageOfPaths(paths), of }, group, { pair, state });
      }
    }
  }

  async function judgeFinished(pair, cache) {
    const now = new Map(pair.changed.map((path) => [path, pair.after.get(path) ?? null]));
    const whole = { before: pair.before, now, planned: pair.changed };
    for (const witness of FINISHED)
      for (const group of await judge(factsBy(witness, whole, [], cache))) {
        const of = isPlainAndProvable(group, pair) ? "plain and provable" : "other";
        tell({ kind: "finished", who: witness.who, language: languageOfPaths(pathsOf(group)), of }, group, {
          pair,
        });
      }
  }
}

/** Asked of each group: what shows in one file says nothing about a group without it. */
const isShown = (pair, state) =>
  state.shows === true || isUnbalanced(pair, state) || usesWhatIsMissing(pair, state);

function statesOf(pair, seed) {
  return Object.entries(CUTS).flatMap(([kind, cut]) => {
    for (let tries = 0; tries < TRIES; tries++) {
      const state = cut(pair, randomFrom(`${seed} ${kind} ${pair.label} ${tries}`));
      if (state !== null && state.damaged.length > 0) return [{ kind, state }];
    }
    return [];
  });
}

const pathsOf = (group) =>
  group.changes.flatMap(({ change }) => [change.path, change.fromPath ?? change.path]);

const BRACKETED = /\.(?:[mc]?[jt]sx?|go|rs|java|php|c|h|cc|cpp|hpp|json|css)$/;

/** A bracket is open that the finished file closes. */
function isUnbalanced({ after }, { now, damaged }) {
  return damaged.some((path) => {
    const [is, shall] = [now.get(path), after.get(path)];
    if (!BRACKETED.test(path) || !is || !shall) return false;
    const quiet = /\.rs$/.test(path) ? QUIET_RUST : QUIET;
    const [a, b] = [is, shall].map((bytes) => bytes.toString("utf8").replace(quiet, ""));
    return ["{}", "()", "[]"].some(([open, close]) => depth(a, open, close) !== depth(b, open, close));
  });
}
/** What stands in comments, in quotes or in a regular expression closes nothing; a quote in them opens nothing, either. */
const QUIET =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;
/** A quote alone names a lifetime there. */
const QUIET_RUST =
  /r(#*)"[\s\S]*?"\1|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\[^\n']+|\\.)'/g;

const depth = (text, open, close) => text.split(open).length - text.split(close).length;
