/** Figures of a busy machine do not become the documentation by themselves, and a missed goal is written as missed. */
import { describe, expect, it } from "vitest";

interface Written {
  refusal(load: number, anyway: boolean): string | null;
  tableOf(run: object): string;
  withTable(text: string, table: string): string;
}
const { refusal, tableOf, withTable } = (await import("../bench/written.mjs" as string)) as Written;

const RUN = {
  node: "v20.0.0",
  load: 0.4,
  at: "2026-01-02T03:04:05Z",
  results: [
    { goal: "P1", what: "append", value: 1.25, target: 1.3, want: "at most", isMet: true },
    { goal: "P2", what: "a | b", value: 2.5, target: 2, want: "at most", note: "slow disk", isMet: false },
  ],
};

describe("the table of the last run", () => {
  it("is not written above a load of two, unless somebody says so", () => {
    expect(refusal(2.1, false)).toContain("The load was 2.1 before the run");
    expect([refusal(2.1, true), refusal(2, false)]).toEqual([null, null]);
  });

  it("has each goal with its figure, and a missed one says so", () => {
    expect(tableOf(RUN).split("\n")).toEqual([
      "2026-01-02, Node 20.0.0, load 0.4 before it began: 1 of 2 goals met.",
      "",
      "| # | what | goal | measured | |",
      "|---|---|---|---|---|",
      "| P1 | append | at most 1.3x | 1.25x | met |",
      "| P2 | a \\| b | at most 2x | 2.50x; slow disk | missed |",
    ]);
  });

  it("takes the place of the one before, and touches nothing else", () => {
    const text = "a\n<!-- the last run: begin -->\nold\n<!-- the last run: end -->\nb\n";
    const once = withTable(text, "new");
    expect(once).toBe("a\n<!-- the last run: begin -->\nnew\n<!-- the last run: end -->\nb\n");
    expect(withTable(once, "new")).toBe(once);
    expect(() => withTable("no marks", "new")).toThrow("has no place for it");
  });
});
