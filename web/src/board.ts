/**
 * What somebody has chosen on the board so far, and what a key makes of it: the keys of the terminal review. Pure.
 *
 *  B1  To discard, and to commit what is risky, takes the key twice; any other key in between takes it back.
 *  B2  Nothing is done by a key: after the choices comes the plan, and that is agreed to by itself.
 */
import type { ManifestGroup, Verdict } from "../../src/model/manifest.ts";
import type { Choice } from "./words.ts";

export interface Board {
  /** In the order of the columns. */
  readonly groups: readonly ManifestGroup[];
  readonly canCommit: boolean;
  readonly at: number;
  readonly choices: ReadonlyMap<string, Choice>;
  /** Asked once more (B1). */
  readonly sure: Choice | null;
  /** The same of a whole column. */
  readonly sureOfAll: { readonly verdict: Verdict; readonly act: Choice } | null;
  readonly open: ReadonlySet<string>;
  readonly diff: ReadonlySet<string>;
  readonly notice: string | null;
}

export const emptyBoard: Board = {
  groups: [],
  canCommit: true,
  at: 0,
  choices: new Map(),
  sure: null,
  sureOfAll: null,
  open: new Set(),
  diff: new Set(),
  notice: null,
};

/** What was chosen for a group that is no more goes with it: its id is a hash of its content. */
export function withGroups(board: Board, groups: readonly ManifestGroup[], canCommit: boolean): Board {
  const known = new Set(groups.map(({ id }) => id));
  const current = board.groups[board.at]?.id;
  const at = Math.max(
    0,
    groups.findIndex(({ id }) => id === current),
  );
  const choices = new Map([...board.choices].filter(([id]) => known.has(id)));
  return { ...board, groups, canCommit, at, choices, sure: null, sureOfAll: null };
}

/** W5: as the review has it, what is the session's, or nobody's. Another's is settled there, and what was the user's before or after it is his. */
export const canTake = ({ changes }: Pick<ManifestGroup, "changes">): boolean =>
  changes.every(({ owner }) => owner === "session" || owner === "unknown");

const ACT_KEYS: Readonly<Record<string, Choice>> = { c: "commit", p: "park", x: "discard", l: "leave" };

/** Null: the key means nothing here. */
export function press(board: Board, key: string): Board | null {
  const group = board.groups[board.at];
  if (!group) return null;
  const act = ACT_KEYS[key];
  if (act) return choose(board, group.id, act);
  // As the review: asked once more, yes is as good as the same key.
  if (key === "y" && board.sure !== null) return choose(board, group.id, board.sure);
  if (key === "y" && board.sureOfAll !== null)
    return chooseAll(board, board.sureOfAll.verdict, board.sureOfAll.act);
  const isAsked = board.sure !== null || board.sureOfAll !== null;
  const calm = { ...board, sure: null, sureOfAll: null, notice: isAsked ? "Not chosen." : null };
  switch (key) {
    case "n":
    case "j":
      return { ...calm, at: Math.min(board.groups.length - 1, board.at + 1) };
    case "b":
    case "k":
      return { ...calm, at: Math.max(0, board.at - 1) };
    case "r":
      return { ...calm, open: turned(board.open, group.id) };
    case "d":
      return { ...calm, diff: turned(board.diff, group.id) };
    case "u":
      return theRest(calm);
    case "Escape":
      return isAsked ? calm : null;
    default:
      return null;
  }
}

export function choose(board: Board, id: string, act: Choice): Board {
  const at = board.groups.findIndex((one) => one.id === id);
  const here = { ...board, at, sure: null, sureOfAll: null, notice: null };
  const group = board.groups[at];
  if (group && !canTake(group)) return { ...here, notice: NOT_ITS };
  if (act === "commit" && !board.canCommit) return { ...here, notice: NO_COMMIT };
  const isGrave = isGraveFor(act, group?.verdict);
  const isSecond = board.sure === act && board.at === at;
  if (isGrave && !isSecond && board.choices.get(id) !== act) return { ...here, sure: act };
  const choices = new Map(board.choices);
  // Chosen again, it is chosen no more: it stays unsettled.
  if (board.choices.get(id) === act) choices.delete(id);
  else choices.set(id, act);
  return { ...here, choices };
}

const NO_COMMIT = "This folder is no repository: nothing can be committed here.";
const NOT_ITS = "That is not this session's, and stays as it is.";

/** B1. */
const isGraveFor = (act: Choice, verdict: Verdict | undefined): boolean =>
  act === "discard" || (act === "commit" && verdict === "risky");

/** As the default policy does it, with what the session owns. */
export function theRest(board: Board): Board {
  const choices = new Map(board.choices);
  for (const group of board.groups) {
    if (choices.has(group.id) || !group.changes.every(({ owner }) => owner === "session")) continue;
    const act =
      group.verdict === "safe" && board.canCommit ? "commit" : group.verdict === "risky" ? "park" : null;
    if (act !== null) choices.set(group.id, act);
  }
  return { ...board, choices, sureOfAll: null, notice: null };
}

/** The same for every group of a column: as grave as for one of them (B1). */
export function chooseAll(board: Board, verdict: Verdict, act: Choice): Board {
  const here = { ...board, sure: null, sureOfAll: null, notice: null };
  if (act === "commit" && !board.canCommit) return { ...here, notice: NO_COMMIT };
  const isSecond = board.sureOfAll?.verdict === verdict && board.sureOfAll.act === act;
  if (isGraveFor(act, verdict) && !isSecond) return { ...here, sureOfAll: { verdict, act } };
  const choices = new Map(board.choices);
  for (const group of board.groups)
    if (group.verdict === verdict && canTake(group)) choices.set(group.id, act);
  return { ...here, choices };
}

function turned(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

export const HELP: readonly (readonly [string, string])[] = [
  ["n b", "next group, the one before"],
  ["c p x l", "commit, park, discard, leave it"],
  ["d", "its changes"],
  ["r", "all reasons and files"],
  ["u", "the rest: commit what is safe, park what is risky"],
  ["Enter", "show the plan"],
  ["y", "agree to the plan; yes, where you are asked once more"],
  ["e", "write the commit's message, in the plan"],
  ["q Esc", "close"],
  ["?", "these keys"],
];
