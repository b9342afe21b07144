/** The page's own arithmetic, without a browser: the board's keys, heights of a long list, the stretch of a life. */
import { describe, expect, it } from "vitest";
import type { ManifestChange, ManifestGroup, Verdict } from "../../src/model/manifest.ts";
import { unifiedDiff } from "../../src/text/unified-diff.ts";
import { type Board, chooseAll, emptyBoard, press, theRest, withGroups } from "../../web/src/board.ts";
import { diffBlocks } from "../../web/src/diff-rows.ts";
import { heightsOf } from "../../web/src/heights.ts";
import { laneOut, panned, spanOf, ticksOf, zoomed } from "../../web/src/life-span.ts";
import fc from "../support/fast-check.ts";

const groupOf = (
  id: string,
  verdict: Verdict,
  owner: ManifestChange["owner"] = "session",
): ManifestGroup => ({
  id,
  verdict,
  reasons: [],
  changes: [{ path: id, kind: "modified", from: null, to: null, owner, owner_evidence: [] }],
});

const GROUPS = [
  groupOf("r", "risky"),
  groupOf("u", "unknown"),
  groupOf("s", "safe"),
  groupOf("n", "safe", "unknown"),
];
const board = (): Board => withGroups(emptyBoard, GROUPS, true);
const pressed = (from: Board, ...keys: string[]): Board =>
  keys.reduce((now, key) => press(now, key) ?? now, from);
const chosen = ({ choices }: Board): unknown => Object.fromEntries(choices);

describe("the board's keys", () => {
  it("choose for the group one stands on, and choosing the same again takes it back", () => {
    expect(chosen(pressed(board(), "p", "n", "l"))).toEqual({ r: "park", u: "leave" });
    expect(chosen(pressed(board(), "p", "p"))).toEqual({});
  });

  it("R2: discard, and commit what is risky, only by the same key twice; any other key takes it back", () => {
    expect(chosen(pressed(board(), "c"))).toEqual({});
    expect(chosen(pressed(board(), "c", "c"))).toEqual({ r: "commit" });
    expect(chosen(pressed(board(), "x", "x"))).toEqual({ r: "discard" });
    expect(chosen(pressed(board(), "x", "y"))).toEqual({ r: "discard" });
    expect(chosen(pressed(board(), "y"))).toEqual({});
    expect(chosen(pressed(board(), "c", "n", "b", "c"))).toEqual({});
    expect(chosen(pressed(board(), "c", "x"))).toEqual({});
    expect(chosen(pressed(board(), "n", "n", "c"))).toEqual({ s: "commit" });
  });

  it("W5: the rest is chosen as the default policy does it, and only what the session owns", () => {
    expect(chosen(theRest(board()))).toEqual({ r: "park", s: "commit" });
    expect(chosen(pressed(board(), "l", "u"))).toEqual({ r: "leave", s: "commit" });
    expect(chosen(theRest(withGroups(emptyBoard, GROUPS, false)))).toEqual({ r: "park" });
    expect(chosen(chooseAll(board(), "safe", "leave"))).toEqual({ s: "leave", n: "leave" });
  });

  it("R2: a whole column is chosen for by one word, and what is grave for one group is asked twice for all", () => {
    const all = (from: Board, ...acts: ("commit" | "park" | "discard" | "leave")[]): Board =>
      acts.reduce((now, act) => chooseAll(now, "risky", act), from);
    expect(chosen(all(board(), "park"))).toEqual({ r: "park" });
    expect(chosen(all(board(), "commit"))).toEqual({});
    expect(chosen(all(board(), "commit", "commit"))).toEqual({ r: "commit" });
    expect(chosen(all(board(), "discard", "commit", "discard"))).toEqual({});
    expect(chosen(all(pressed(all(board(), "discard"), "n"), "discard"))).toEqual({});
    expect(chosen(chooseAll(chooseAll(board(), "safe", "discard"), "risky", "discard"))).toEqual({});
    expect(chosen(chooseAll(withGroups(emptyBoard, GROUPS, false), "safe", "commit"))).toEqual({});
  });

  it("W5: what is another session's, or the user's, is chosen for by no key, no column and no rest; nor is what it shares a group with", () => {
    const [own, others] = [groupOf("r", "risky"), groupOf("o", "risky", "other")];
    const mixed = { ...own, id: "m", changes: [...own.changes, ...groupOf("x", "risky", "unknown").changes] };
    for (const stranger of [
      others,
      groupOf("a", "risky", "after"),
      groupOf("f", "risky", "before"),
      { ...own, id: "w", changes: [...own.changes, ...others.changes] },
    ]) {
      const board = withGroups(emptyBoard, [stranger, own], true);
      for (const key of ["c", "p", "x", "l"]) expect(chosen(pressed(board, key, key))).toEqual({});
      expect(press(board, "p")?.notice).toContain("not this session's");
      expect(chosen(chooseAll(board, "risky", "park"))).toEqual({ r: "park" });
      expect(chosen(theRest(board))).toEqual({ r: "park" });
    }
    // The rest is what the policy takes unasked; a person may choose for what is nobody's.
    expect(chosen(theRest(withGroups(emptyBoard, [mixed], true)))).toEqual({});
    expect(chosen(pressed(withGroups(emptyBoard, [mixed], true), "p"))).toEqual({ m: "park" });
  });

  it("W5: a choice goes with its group: other content is another group, for which nobody chose", () => {
    const later = withGroups(pressed(board(), "p"), [groupOf("r2", "risky"), groupOf("s", "safe")], true);
    expect(chosen(later)).toEqual({});
  });

  it("never leave the list, and a folder without git commits nothing", () => {
    expect(pressed(board(), "b", "b").at).toBe(0);
    expect(pressed(board(), ..."nnnnnnnn").at).toBe(3);
    expect(chosen(pressed(withGroups(emptyBoard, GROUPS, false), "n", "n", "c"))).toEqual({});
    expect(press(emptyBoard, "c")).toBeNull();
    expect(press(board(), "z")).toBeNull();
  });
});

describe("heights of rows", () => {
  it("say where each row stands and which row stands where, whatever was measured and however many came", () => {
    const change = fc.tuple(fc.nat(199), fc.nat(120));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), fc.nat(12_000), (changes, pixels) => {
        let heights = heightsOf(150, 40);
        const plain = Array.from({ length: 200 }, () => 40);
        for (const [at, height] of changes) {
          if (at >= 150 && heights.count < 200) heights = heights.grown(200);
          heights.set(at, height);
          plain[at] = height;
        }
        heights = heights.grown(200);
        expect(heights.total()).toBe(plain.reduce((sum, one) => sum + one, 0));
        const at = heights.rowAt(pixels);
        expect(heights.before(at)).toBeLessThanOrEqual(Math.max(pixels, 0));
        if (pixels < heights.total()) expect(heights.before(at + 1)).toBeGreaterThan(pixels);
      }),
    );
  });

  it("have a defined answer for no rows at all", () => {
    const none = heightsOf(0, 40);
    expect([none.total(), none.rowAt(100), none.before(3)]).toEqual([0, 0, 0]);
  });
});

describe("the stretch of a life", () => {
  it("is zoomed and moved within the whole, and never beyond", () => {
    const whole = spanOf([1000, 61_000]);
    const near = zoomed(whole, whole, 0.5);
    expect(near).toEqual({ from: 16_000, to: 46_000 });
    expect(zoomed(whole, near, 8)).toEqual(whole);
    expect(panned(whole, near, -5)).toEqual({ from: 1000, to: 31_000 });
    expect(panned(whole, near, 5)).toEqual({ from: 31_000, to: 61_000 });
  });

  it("has a width though nothing, or only one instant, is known", () => {
    expect(spanOf([])).toEqual({ from: 0, to: 1000 });
    expect(spanOf([Number.NaN, 5])).toEqual({ from: 5, to: 1005 });
    expect(ticksOf({ from: 0, to: 60_000 }, 7)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
  });

  it("puts calls that overlap below each other, in no more lanes than there are", () => {
    const bar = (from: number, to: number) => ({ from, to, of: null });
    expect(laneOut([bar(0, 10), bar(5, 8), bar(9, 12), bar(20, 21)], 8).map(({ lane }) => lane)).toEqual([
      0, 1, 1, 0,
    ]);
    expect(laneOut([bar(0, 9), bar(0, 9), bar(0, 9)], 2).map(({ lane }) => lane)).toEqual([0, 1, 1]);
  });
});

describe("changes side by side", () => {
  it("stand in rows, what goes beside what comes in its place, with their numbers", () => {
    const [block] = diffBlocks(unifiedDiff("a\nb\nc\n", "a\nB\nB2\nc\n", { from: "f", to: "f" }));
    expect(block?.rows.map((row) => row.map(({ n, text, kind }) => `${n ?? "-"} ${kind} ${text}`))).toEqual([
      ["1 same a", "1 same a"],
      ["2 gone b", "2 new B"],
      ["- none ", "3 new B2"],
      ["3 same c", "4 same c"],
    ]);
  });

  it("T3: lines that look like a diff's own head are lines", () => {
    const [block] = diffBlocks(
      unifiedDiff("", "--- a/x\n+++ b/y\n@@ -1 +1 @@\ndiff --git a b\n", { from: "f", to: "f" }),
    );
    expect(block?.rows.map(([, now]) => now.text)).toEqual([
      "--- a/x",
      "+++ b/y",
      "@@ -1 +1 @@",
      "diff --git a b",
    ]);
  });

  it("T3: so are those that become one by their sign", () => {
    const around = Array.from({ length: 12 }, (_, i) => `line ${i}\n`).join("");
    const from = `-- a/x\n${around}-- c\n`;
    const blocks = diffBlocks(unifiedDiff(from, `++ b/y\n${around}++ d\n`, { from: "f", to: "f" }));
    const texts = blocks.flatMap(({ rows }) => rows.flatMap(([before, now]) => [before.text, now.text]));
    for (const line of ["-- a/x", "++ b/y", "-- c", "++ d"]) expect(texts).toContain(line);
  });
});
