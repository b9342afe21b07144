/**
 * The review as a pure machine: what somebody has chosen so far, what he looks at, and what each key makes of it. It
 * touches nothing; whoever drives it draws, reads keys, plans and acts.
 *
 *  R1  It ends as agreed only by `y` on a plan that was on the screen, with a choice for every group.
 *  R2  To discard, and to commit what is risky, takes the key twice; any other key in between takes it back.
 *  R3  Quitting, from wherever, agrees to nothing.
 *  R4  A group is named by its own key, never by the policy for the rest (W5, DESIGN 15).
 */
import type { ReviewChoice } from "../../app/salvage/review.ts";
import type { Verdict } from "../../model/manifest.ts";
import type { SettleAct } from "../../salvage/settle/policy.ts";
import type { Key } from "./read-keys.ts";

export interface ReviewFacts {
  /** The worst first; at least one. */
  readonly groups: readonly {
    readonly id: string;
    readonly verdict: Verdict;
    readonly proposed: SettleAct;
  }[];
  /** False: a folder without git. */
  readonly canCommit: boolean;
}

/** Where somebody came from, and goes back to. */
type Origin = "group" | "plan";

export type ReviewScreen =
  | { readonly kind: "group" }
  /** All of them, a line each; `cursor` is the one enter goes to. */
  | { readonly kind: "list"; readonly cursor: number }
  /** Asked once more (R2). */
  | { readonly kind: "sure"; readonly act: "commit" | "discard" }
  | {
      readonly kind: "page";
      readonly page: "diff" | "reasons" | "help";
      readonly top: number;
      readonly from: Origin;
    }
  /** The editor has the terminal; `edited` ends it. */
  | { readonly kind: "edit"; readonly from: Origin }
  | { readonly kind: "plan"; readonly top: number }
  | { readonly kind: "end"; readonly how: "agreed" | "quit" | "interrupted" };

export interface ReviewState {
  readonly at: number;
  readonly choices: ReadonlyMap<string, ReviewChoice>;
  /** The commit's message as somebody wrote it; null: the proposed one. */
  readonly message: string | null;
  readonly screen: ReviewScreen;
  /** One line, gone with the next key. */
  readonly notice: string | null;
}

/** What is on the screen: how long it is, how much of it fits, and whether its plan could be carried out. */
export interface ScreenFacts {
  readonly lines: number;
  readonly rows: number;
  readonly canAgree: boolean;
}

export const beginReview = (message: string | null): ReviewState => ({
  at: 0,
  choices: new Map(),
  message,
  screen: { kind: "group" },
  notice: null,
});

export function press(facts: ReviewFacts, before: ReviewState, key: Key, shown: ScreenFacts): ReviewState {
  if (before.screen.kind === "end" || before.screen.kind === "edit") return before;
  const state = { ...before, notice: null };
  if (key === "interrupt") return ended(state, "interrupted");
  if (key === "hang-up") return ended(state, "quit");
  switch (before.screen.kind) {
    case "group":
      return onGroup(facts, state, key);
    case "sure":
      return onSure(facts, state, key, before.screen.act);
    case "list":
      return onList(facts, state, key, before.screen.cursor, shown);
    case "page":
      return onPage(state, key, before.screen, shown);
    case "plan":
      return onPlan(facts, state, key, before.screen.top, shown);
    default:
      return before.screen satisfies never;
  }
}

/** Null: it was left as it was, for the reason given. */
export function edited(state: ReviewState, text: string | null, notice: string | null): ReviewState {
  const { screen } = state;
  if (screen.kind !== "edit") return state;
  return { ...back(state, screen.from), message: text ?? state.message, notice };
}

/** After the terminal became smaller: nothing is scrolled out of sight. */
export function fitted(state: ReviewState, shown: ScreenFacts): ReviewState {
  const { screen } = state;
  if (screen.kind !== "page" && screen.kind !== "plan") return state;
  const top = clamp(screen.top, shown);
  return top === screen.top ? state : { ...state, screen: { ...screen, top } };
}

const ACT_KEYS: Readonly<Record<string, SettleAct>> = { c: "commit", p: "park", x: "discard", l: "leave" };
const PAGE_KEYS: Readonly<Record<string, "diff" | "reasons" | "help">> = {
  d: "diff",
  r: "reasons",
  "?": "help",
};

function onGroup(facts: ReviewFacts, state: ReviewState, key: Key): ReviewState {
  const act = ACT_KEYS[key];
  if (act !== undefined) return chosen(facts, state, act);
  const page = PAGE_KEYS[key];
  if (page !== undefined) return { ...state, screen: { kind: "page", page, top: 0, from: "group" } };
  switch (key) {
    case "b":
      return state.at === 0
        ? { ...state, notice: "This is the first one." }
        : { ...state, at: state.at - 1, screen: { kind: "group" } };
    case "n":
      return state.at === facts.groups.length - 1
        ? { ...state, screen: { kind: "group" }, notice: "This is the last one." }
        : { ...state, at: state.at + 1, screen: { kind: "group" } };
    case "g":
      return { ...state, screen: { kind: "list", cursor: state.at } };
    case "u":
      return byPolicy(facts, state);
    case "e":
      return editing(facts, state, "group");
    case "q":
      return ended(state, "quit");
    default:
      return { ...state, screen: { kind: "group" } };
  }
}

/** R2. */
function onSure(facts: ReviewFacts, state: ReviewState, key: Key, act: "commit" | "discard"): ReviewState {
  if (ACT_KEYS[key] === act || key === "y") return choose(facts, state, act);
  return {
    ...state,
    screen: { kind: "group" },
    notice: `Not ${act === "commit" ? "committed" : "discarded"}.`,
  };
}

function onList(
  { groups }: ReviewFacts,
  state: ReviewState,
  key: Key,
  cursor: number,
  { rows }: ScreenFacts,
): ReviewState {
  if (key === "enter") return { ...state, at: cursor, screen: { kind: "group" } };
  if (["q", "escape", "b", "g"].includes(key)) return back(state, "group");
  // The cursor moves as a page of one row does: to the last group and no further.
  const to = scrolled(cursor, key, { lines: groups.length, rows: 1, canAgree: false }, rows);
  return { ...state, screen: { kind: "list", cursor: to } };
}

function onPage(
  state: ReviewState,
  key: Key,
  screen: Extract<ReviewScreen, { kind: "page" }>,
  shown: ScreenFacts,
): ReviewState {
  const isClosing = key === "q" || key === "escape" || key === "b" || PAGE_KEYS[key] === screen.page;
  if (isClosing) return back(state, screen.from);
  return { ...state, screen: { ...screen, top: scrolled(screen.top, key, shown) } };
}

function onPlan(
  facts: ReviewFacts,
  state: ReviewState,
  key: Key,
  top: number,
  shown: ScreenFacts,
): ReviewState {
  switch (key) {
    case "y":
      return shown.canAgree
        ? ended(state, "agreed")
        : { ...state, notice: "This cannot be done as it is: b goes back, q quits." };
    case "b":
      return { ...state, at: facts.groups.length - 1, screen: { kind: "group" } };
    case "e":
      return editing(facts, state, "plan");
    case "?":
      return { ...state, screen: { kind: "page", page: "help", top: 0, from: "plan" } };
    case "q":
    case "n":
      return ended(state, "quit");
    default:
      return { ...state, screen: { kind: "plan", top: scrolled(top, key, shown) } };
  }
}

const ended = (state: ReviewState, how: Extract<ReviewScreen, { kind: "end" }>["how"]): ReviewState => ({
  ...state,
  screen: { kind: "end", how },
});

const back = (state: ReviewState, to: Origin): ReviewState => ({
  ...state,
  screen: to === "plan" ? { kind: "plan", top: 0 } : { kind: "group" },
});

function chosen(facts: ReviewFacts, state: ReviewState, act: SettleAct): ReviewState {
  if (act === "commit" && !facts.canCommit)
    return { ...state, notice: "This folder is no repository: nothing can be committed here." };
  const isRisky = facts.groups[state.at]?.verdict === "risky";
  if (act === "discard" || (act === "commit" && isRisky)) return { ...state, screen: { kind: "sure", act } };
  return choose(facts, state, act);
}

/** On to the next one that nothing was chosen for; after the last, the plan. */
function choose(facts: ReviewFacts, state: ReviewState, act: SettleAct): ReviewState {
  const { groups } = facts;
  const id = groups[state.at]?.id ?? "";
  const choices = new Map(state.choices).set(id, { act, by: "key" as const });
  const isOpen = (at: number): boolean => !choices.has(groups[at]?.id ?? "");
  const order = groups.map((_, at) => (state.at + 1 + at) % groups.length);
  const next = order.find(isOpen);
  return next === undefined
    ? { ...state, choices, screen: { kind: "plan", top: 0 } }
    : { ...state, choices, at: next, screen: { kind: "group" } };
}

function byPolicy({ groups }: ReviewFacts, state: ReviewState): ReviewState {
  const choices = new Map(state.choices);
  for (const { id, proposed } of groups)
    if (!choices.has(id)) choices.set(id, { act: proposed, by: "policy" });
  return { ...state, choices, screen: { kind: "plan", top: 0 } };
}

const editing = (facts: ReviewFacts, state: ReviewState, from: Origin): ReviewState =>
  facts.canCommit
    ? { ...state, screen: { kind: "edit", from } }
    : { ...state, notice: "This folder is no repository: there is no commit to write a message for." };

function scrolled(top: number, key: Key, shown: ScreenFacts, screen = shown.rows): number {
  const page = Math.max(1, screen - 1);
  const to: Readonly<Record<string, number>> = {
    up: top - 1,
    k: top - 1,
    down: top + 1,
    j: top + 1,
    enter: top + 1,
    "page-up": top - page,
    "page-down": top + page,
    " ": top + page,
    home: 0,
    g: 0,
    end: shown.lines,
    G: shown.lines,
  };
  return clamp(to[key] ?? top, shown);
}

const clamp = (top: number, { lines, rows }: ScreenFacts): number =>
  Math.max(0, Math.min(top, Math.max(0, lines - rows)));
