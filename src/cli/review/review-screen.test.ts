/** The review's screens: they fit whatever there is to show, and nothing of it reaches the terminal as anything but text. */

import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import type { Manifest, ManifestChange, ManifestGroup } from "../../model/manifest.ts";
import { displayWidth } from "../../text/width.ts";
import { styleFor } from "../screen/style.ts";
import { groupScreen, helpPage, listScreen, pageScreen, reasonsPage } from "./review-screen.ts";
import { beginReview, type ReviewState } from "./review-state.ts";

const PLAIN = styleFor(false);
const HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e\n\r\x9b31m";

const change = (path: string): ManifestChange => ({
  path,
  kind: "modified",
  from: null,
  to: null,
  owner: "session",
  owner_evidence: [{ kind: "call", message: `call ${path}` }],
});

function manifestWith(text: string): Manifest {
  return {
    session: {
      id: `s-${text}`,
      agent: text,
      state: "interrupted",
      unsettled: true,
      cause: "crash",
      attempt: 1,
      last_attempt: 1,
      dirty_ends: 1,
    },
    goal: text,
    last_output: null,
    turn: null,
    calls: [],
    operations: [],
    decisions: [],
    base: { head: null, branch: null },
    groups: [],
    leftovers: [],
    gaps: [],
    moving: false,
    captures: [],
    claims_contradicted: Array.from({ length: 5 }, () => ({ claim: "done", said: text, evidence: text })),
    next: [],
  };
}

const groupWith = (text: string, paths: number, reasons: number, evidence = 3): ManifestGroup => ({
  id: "g0123",
  verdict: "risky",
  changes: Array.from({ length: paths }, (_, n) => change(`${n}/${text}`)),
  reasons: Array.from({ length: reasons }, (_, n) => ({
    rule: `rule-${n}`,
    message: text,
    evidence: Array.from({ length: evidence }, () => text),
  })),
});

const viewOf = (text: string, group: ManifestGroup): Parameters<typeof groupScreen>[1] => ({
  manifest: manifestWith(text),
  group,
  at: 1,
  total: 9,
  proposed: "park",
  policy: "default",
  isOwn: true,
  choice: null,
});

const STATES: readonly ReviewState[] = [
  beginReview(null),
  { ...beginReview(null), notice: "Something to say." },
  { ...beginReview(null), screen: { kind: "sure", act: "discard" } },
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there.
const CONTROL = /[\x00-\x1f\x7f-\x9f\u202a-\u202e]/;

describe("a group's screen", () => {
  it("fits every size, with its keys, whatever is to be shown; nothing in it is a control character (T3)", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 10, max: 200 }),
        fc.integer({ min: 0, max: 80 }),
        fc.integer({ min: 0, max: 20 }),
        fc.constantFrom("a", "word ".repeat(60), "漢".repeat(90), HOSTILE),
        (rows, columns, paths, reasons, text) => {
          const group = groupWith(text, paths, reasons);
          for (const state of STATES) {
            const lines = groupScreen(PLAIN, viewOf(text, group), state, { rows, columns });
            expect(lines.length).toBeLessThanOrEqual(rows);
            expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([]);
            expect(lines.filter((line) => CONTROL.test(line))).toEqual([]);
            if (columns >= 80) expect(lines.at(-1)).toContain("q quit");
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("has everything of a small group at 80 by 24, and counts what does not fit of a large one", () => {
    const size = { rows: 24, columns: 80 };
    const small = groupScreen(PLAIN, viewOf("short", groupWith("short", 2, 2, 2)), beginReview(null), size);
    expect(small).toHaveLength(24);
    expect(small.join("\n")).not.toContain("more");
    const large = groupScreen(PLAIN, viewOf("short", groupWith("short", 50, 9, 2)), beginReview(null), size);
    expect(large).toHaveLength(24);
    expect(large[0]).toContain("50 changes");
    expect(large.filter((line) => /and \d+ more \(r shows/.test(line))).toHaveLength(2);
    expect(large.filter((line) => line.startsWith("  modified")).length).toBeGreaterThanOrEqual(3);
  });
});

describe("the list of groups", () => {
  it("has the one at the cursor on the screen however many there are, with what was chosen, and lets nothing in (T3)", () => {
    const listed = Array.from({ length: 60 }, (_, at) => ({
      group: groupWith(at === 59 ? HOSTILE : `path-${at}`, 2, 1),
      choice: at === 3 ? ({ act: "park", by: "key" } as const) : null,
    }));
    for (const cursor of [0, 3, 30, 59]) {
      const state: ReviewState = { ...beginReview(null), screen: { kind: "list", cursor } };
      const screen = listScreen(PLAIN, listed, cursor, state, { rows: 24, columns: 80 });
      expect(screen).toHaveLength(24);
      expect(screen[0]).toBe("60 groups, 59 to decide");
      expect(screen.filter((line) => line.startsWith("> "))).toHaveLength(1);
      expect(screen.filter((line) => CONTROL.test(line))).toEqual([]);
      expect(screen.every((line) => displayWidth(line) <= 80)).toBe(true);
    }
    const near = listScreen(PLAIN, listed, 3, beginReview(null), { rows: 24, columns: 80 });
    expect(near.join("\n")).toMatch(/> .*park/);
  });
});

describe("a page", () => {
  it("shows every line once as it is scrolled, and says where it is", () => {
    const lines = Array.from({ length: 95 }, (_, n) => `line ${n}`);
    const size = { rows: 24, columns: 80 };
    const seen = new Set<string>();
    for (let top = 0; top <= 75; top += 1) {
      const state: ReviewState = { ...beginReview(null), screen: { kind: "plan", top } };
      const screen = pageScreen(PLAIN, { title: "A plan", lines, canAgree: true }, state, size);
      expect(screen).toHaveLength(24);
      for (const line of screen) if (line.startsWith("line ")) seen.add(line);
    }
    expect(seen.size).toBe(95);
  });

  it("of reasons leaves nothing out and lets nothing in; the help fits 80 by 24", () => {
    const lines = reasonsPage(PLAIN, groupWith(HOSTILE, 30, 9), 80);
    expect(lines.filter((line) => CONTROL.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith("  modified"))).toHaveLength(30);
    expect(lines.filter((line) => line.includes("[rule-"))).toHaveLength(9);
    expect(lines.every((line) => displayWidth(line) <= 80)).toBe(true);
    expect(helpPage(PLAIN).every((line) => displayWidth(line) <= 80)).toBe(true);
    expect(helpPage(PLAIN).length).toBeLessThanOrEqual(20);
  });
});
