/** The review's machine, gone through whole: every state that keys can lead to, under every key. */
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../model/manifest.ts";
import {
  beginReview,
  edited,
  fitted,
  press,
  type ReviewFacts,
  type ReviewState,
  type ScreenFacts,
} from "./review-state.ts";

const KEYS = [
  ..."drcpxlbue?qyngGjk zé",
  "up",
  "down",
  "page-up",
  "page-down",
  "home",
  "end",
  "enter",
  "escape",
  "interrupt",
  "hang-up",
];

const facts = (...verdicts: Verdict[]): ReviewFacts => ({
  canCommit: true,
  groups: verdicts.map((verdict, at) => ({
    id: `g${at}`,
    verdict,
    proposed: verdict === "safe" ? "commit" : verdict === "risky" ? "park" : "leave",
  })),
});
const SHOWN: ScreenFacts = { lines: 50, rows: 20, canAgree: true };
/** Three places to scroll to: enough to come from either end. */
const SMALL: ScreenFacts = { lines: 6, rows: 4, canAgree: true };
const pressed = (about: ReviewFacts, keys: readonly string[], shown = SHOWN): ReviewState =>
  keys.reduce((state, key) => press(about, state, key, shown), beginReview(null));

const told = ({ choices, ...rest }: ReviewState): string => JSON.stringify([rest, [...choices].sort()]);

interface Step {
  readonly from: ReviewState;
  readonly key: string;
  readonly to: ReviewState;
  /** Both states, told. */
  readonly names: readonly [from: string, to: string];
}

/** Every state reachable from the beginning, and every step between them. */
function everyStep(about: ReviewFacts, shown: ScreenFacts): Step[] {
  const seen = new Set<string>();
  const steps: Step[] = [];
  const open = [beginReview(null)];
  for (let from = open.pop(); from; from = open.pop()) {
    const name = told(from);
    for (const [key, to] of nextOf(about, from, shown)) {
      const text = to === from ? name : told(to);
      steps.push({ from, key, to, names: [name, text] });
      if (seen.has(text)) continue;
      seen.add(text);
      open.push(to);
    }
  }
  return steps;
}

const nextOf = (
  about: ReviewFacts,
  from: ReviewState,
  shown: ScreenFacts,
): (readonly [string, ReviewState])[] =>
  from.screen.kind === "edit"
    ? [
        ["edited", edited(from, "Mine\n", null)],
        ["left", edited(from, null, null)],
      ]
    : KEYS.map((key) => [key, press(about, from, key, shown)]);

/** The steps that break a rule, told; one assertion over all of them. */
const breaking = (steps: readonly Step[], isRight: (step: Step) => boolean): string[] =>
  steps.filter((step) => !isRight(step)).map(({ key, names: [from, to] }) => `${from} ${key} ${to}`);

describe("every step of a review", () => {
  const about = facts("risky", "safe");
  const steps = everyStep(about, SMALL);
  const isEnded = ({ screen }: ReviewState): boolean => screen.kind === "end";

  it("agrees only by y on the plan, with a choice for every group (R1)", () => {
    expect(steps.length).toBeGreaterThan(10_000);
    const agreed = steps.filter(
      ({ from, to }) => !isEnded(from) && to.screen.kind === "end" && to.screen.how === "agreed",
    );
    expect(agreed.length).toBeGreaterThan(0);
    const isRight = ({ from, key, to }: Step): boolean =>
      from.screen.kind === "plan" &&
      key === "y" &&
      to.choices.size === about.groups.length &&
      to.choices === from.choices;
    expect(breaking(agreed, isRight)).toEqual([]);
  });

  it("discards, and commits what is risky, only after being asked once more (R2)", () => {
    const isRight = ({ from, to }: Step): boolean =>
      about.groups.every(({ id, verdict }) => {
        const choice = to.choices.get(id);
        if (choice === undefined || choice === from.choices.get(id) || choice.by === "policy") return true;
        const isGrave = choice.act === "discard" || (choice.act === "commit" && verdict === "risky");
        return from.screen.kind === (isGrave ? "sure" : "group");
      });
    expect(breaking(steps, isRight)).toEqual([]);
  });

  it("changes at most the choice of the group on the screen, but for u, which keeps what was chosen (R4)", () => {
    const isRight = ({ from, key, to }: Step): boolean =>
      about.groups.every(({ id, proposed }, at) => {
        const [was, is] = [from.choices.get(id), to.choices.get(id)];
        if (is === was) return true;
        if (key === "u") return was === undefined && is?.by === "policy" && is.act === proposed;
        return at === from.at && is?.by === "key";
      });
    expect(breaking(steps, isRight)).toEqual([]);
  });

  it("ends by Ctrl-C and at the end of the input from wherever it is, by q from groups and plan, and stays ended (R3)", () => {
    const isRight = ({ from, key, to }: Step): boolean => {
      const how = to.screen.kind === "end" ? to.screen.how : null;
      if (isEnded(from)) return to === from;
      if (key === "interrupt") return how === "interrupted";
      if (key === "hang-up") return how === "quit";
      const isQuitting = key === "q" && (from.screen.kind === "group" || from.screen.kind === "plan");
      return isQuitting ? how === "quit" : key !== "q" || how === null;
    };
    expect(breaking(steps, isRight)).toEqual([]);
  });

  it("shows the plan only when every group has its choice, and never loses one", () => {
    const isRight = ({ from, to }: Step): boolean =>
      (to.screen.kind !== "plan" || to.choices.size === about.groups.length) &&
      to.choices.size >= from.choices.size;
    expect(breaking(steps, isRight)).toEqual([]);
  });

  it("stays within its groups and its pages", () => {
    const isRight = ({ to: { at, screen } }: Step): boolean => {
      const top = screen.kind === "page" || screen.kind === "plan" ? screen.top : 0;
      return about.groups[at] !== undefined && top >= 0 && top <= SMALL.lines - SMALL.rows;
    };
    expect(breaking(steps, isRight)).toEqual([]);
  });

  it("is nowhere stuck: from every screen a plan can still be reached", () => {
    const lead = new Map<string, string[]>();
    for (const {
      names: [from, to],
    } of steps) {
      const into = lead.get(to);
      if (into) into.push(from);
      else lead.set(to, [from]);
    }
    const reaches = new Set<string>();
    const open = steps.filter(({ to }) => to.screen.kind === "plan").map(({ names: [, to] }) => to);
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (reaches.has(one)) continue;
      reaches.add(one);
      open.push(...(lead.get(one) ?? []));
    }
    expect(breaking(steps, ({ to, names: [, name] }) => isEnded(to) || reaches.has(name))).toEqual([]);
  });
});

describe("a review", () => {
  const about = facts("risky", "unknown", "safe");

  it("goes on to the next group nothing was chosen for, and to the plan after the last", () => {
    expect(pressed(about, ["p"])).toMatchObject({ at: 1, screen: { kind: "group" } });
    expect(pressed(about, ["p", "l", "b", "b"])).toMatchObject({ at: 0 });
    // Chosen anew: the second has its choice already.
    expect(pressed(about, ["p", "l", "b", "b", "l"])).toMatchObject({ at: 2 });
    expect(pressed(about, ["p", "l", "c"]).screen).toEqual({ kind: "plan", top: 0 });
    expect(pressed(about, ["p", "l", "c", "b"])).toMatchObject({ at: 2, screen: { kind: "group" } });
  });

  it("names what was chosen by key and not what the policy decides", () => {
    expect([...pressed(about, ["l", "u"]).choices]).toEqual([
      ["g0", { act: "leave", by: "key" }],
      ["g1", { act: "leave", by: "policy" }],
      ["g2", { act: "commit", by: "policy" }],
    ]);
  });

  it("commits nothing where there is no repository", () => {
    const folder = { ...about, canCommit: false };
    for (const keys of [["c"], ["c", "c"], ["e"]]) {
      const state = pressed(folder, keys);
      expect(state.choices.size).toBe(0);
      expect(state.screen.kind).toBe("group");
      expect(state.notice).toContain("no repository");
    }
  });

  it("does not agree to what cannot be done", () => {
    const state = pressed(about, ["u", "y"], { ...SHOWN, canAgree: false });
    expect(state.screen.kind).toBe("plan");
    expect(state.notice).toContain("cannot be done");
  });

  it("keeps a message somebody wrote and the one before it when he left it empty", () => {
    const written = edited(pressed(about, ["e"]), "Mine\n", "said");
    expect(written).toMatchObject({ message: "Mine\n", screen: { kind: "group" }, notice: "said" });
    const left = edited(press(about, written, "e", SHOWN), null, null);
    expect(left.message).toBe("Mine\n");
    expect(edited(left, "Not while editing", null)).toBe(left);
  });

  it("goes on without deciding, and to any group from the list; neither chooses anything", () => {
    const next = pressed(about, ["n"]);
    expect(next).toMatchObject({ at: 1, screen: { kind: "group" } });
    const last = pressed(
      about,
      about.groups.map(() => "n"),
    );
    expect(last).toMatchObject({ at: about.groups.length - 1, notice: "This is the last one." });
    expect(pressed(about, ["g"]).screen).toEqual({ kind: "list", cursor: 0 });
    const there = pressed(about, ["g", "G", "enter"]);
    expect(there).toMatchObject({ at: about.groups.length - 1, screen: { kind: "group" } });
    expect(pressed(about, ["n", "g", "down", "q"])).toMatchObject({ at: 1, screen: { kind: "group" } });
    for (const state of [next, last, there]) expect(state.choices.size).toBe(0);
  });

  it("scrolls back into sight when the screen has room for more", () => {
    const low = pressed(about, ["d", "G"]);
    expect(low.screen).toMatchObject({ top: 30 });
    expect(fitted(low, { ...SHOWN, rows: 45 }).screen).toMatchObject({ top: 5 });
    expect(fitted(low, { ...SHOWN, rows: 60 }).screen).toMatchObject({ top: 0 });
    expect(fitted(low, SHOWN)).toBe(low);
  });
});
