// The same states with the user's check beside them: what `inspect --verify` makes of a group that is not risky already.
import { outcomeOf } from "./checks.mjs";
import { LEFT } from "./kinds.mjs";
import { measure, pathsOf } from "./measure.mjs";

/** `pairs` have a check (checks.mjs). Rows as measure gives them, of judgings that know what the check said. */
export async function measureVerified(pairs, { judge, seed, perKind, onGroup }) {
  const byTree = new Map(pairs.map((pair) => [pair.before, pair]));
  return measure(
    { pairs, withConfig: [], locked: [] },
    { judge: (facts, pair) => judgeTwice(facts, byTree.get(pair.before)), seed, perKind, onGroup, isTold },
  );

  async function judgeTwice(facts, pair) {
    const first = await judge(facts);
    const groups = new Map();
    for (const group of first)
      if (group.verdict !== "risky")
        groups.set(group.id, await outcomeOf(pair, await changesOf(group, facts)));
    return judge({ ...facts, verify: { command: pair.command, head: "passed", groups, clashing: [] } });
  }
}

/** Beside a check nobody's word counts: then what is not told by an operation is told by the files and the check. */
const isTold = (kind, { level }, { isUntold, isGrown }) =>
  !isGrown && !((isUntold || kind === LEFT) && level !== "operations");

async function changesOf(group, facts) {
  const now = new Map();
  for (const { change } of group.changes) {
    if (change.fromPath !== undefined) now.set(change.fromPath, null);
    now.set(change.path, change.to === null ? null : Buffer.from(await facts.bytesOf(change, "after")));
  }
  return [...now].filter(([path]) => pathsOf(group).includes(path));
}
