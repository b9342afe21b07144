// The kinds of half-done work, and who is at which level of evidence. The table of NOTES.md has one row for each.
import { callersWithoutCallees, callerWithoutCallee } from "./callers.mjs";
import * as cuts from "./cuts.mjs";
import { configDowngraded } from "./downgrades.mjs";
import { lockNotUpdated } from "./locks.mjs";

export const LEFT = "a file left as it was";
export const KINDS = {
  "file missing": cuts.missingFile,
  "truncated at a byte": cuts.truncatedAtByte,
  "truncated at a line that parses": cuts.truncatedAtLine,
  "rename half done": cuts.renameHalfDone,
  "caller without callee": callerWithoutCallee,
  "config downgraded": configDowngraded,
  "stub in place of a file": cuts.stubInPlace,
  [LEFT]: cuts.anyFileLeft,
  // Last: npm makes the lockfiles while the others are judged.
  "lockfile not updated": lockNotUpdated,
};

/** Kinds of which every state of a pair can be had, for looking where a sample does not. */
export const EVERY = { "caller without callee": callersWithoutCallees };

/**
 * cut off: killed, its operation open and its turn interrupted. lying: both ended, and the work is not done. lying, seen: the
 * same by `op end`, with a capture of these very bytes: that they are all there is is the agent's word then, which nobody who
 * reads the tree can take back. Printed, so that it can be seen what a lie costs; counted for nothing.
 */
const AGENTS = [
  { agent: "cut off", level: "operations" },
  { agent: "cut off", level: "turns" },
  { agent: "cut off", level: "diff" },
  { agent: "lying", level: "operations" },
  { agent: "lying", level: "turns" },
  { agent: "lying, seen", level: "operations" },
];
/**
 * A liar who left a file as it was left a smaller piece of work that is whole: only an operation that names its files
 * tells. What cannot be told by anybody is printed under a name of its own and counts for nothing.
 */
const LEFT_AGENTS = [
  ...AGENTS.filter(({ agent }) => agent === "cut off"),
  { agent: "lying, files named", level: "operations" },
  { agent: "not tellable", level: "operations" },
  { agent: "not tellable", level: "turns" },
];

export const agentsOf = (kind) => (kind === LEFT ? LEFT_AGENTS : AGENTS);
const UNCOUNTED = new Set(["finished", "not tellable", "lying, seen"]);
export const isCounted = ({ agent }) => !UNCOUNTED.has(agent);

/** Every row that must be there, and with enough in it: a kind that was never made must not look like one without fault. */
export const expectedRows = () =>
  Object.keys(KINDS)
    .flatMap((kind) => agentsOf(kind).map((row) => ({ kind, ...row })))
    .filter(isCounted);
