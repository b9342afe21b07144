/** The measured judge measures: a judge that knows nothing must fail, and one that believes everything, too. */
import { describe, expect, it } from "vitest";

interface Row {
  readonly kind: string;
  readonly agent: string;
  readonly level: string;
  readonly safe: number;
  readonly risky: number;
  readonly unknown: number;
}

const { missedGoals } = (await import(new URL("../bench/triage/score.mjs", import.meta.url).href)) as {
  missedGoals: (rows: readonly Row[]) => string[];
};

const rowsOf = (halfDone: Partial<Row>, finished: Partial<Row>): Row[] => {
  const none = { safe: 0, risky: 0, unknown: 0 };
  const kinds = Array.from({ length: 10 }, (_, at) => ({
    kind: `kind ${at}`,
    agent: "lying",
    level: "turns",
    ...none,
    ...halfDone,
  }));
  return [...kinds, { kind: "finished", agent: "finished", level: "operations", ...none, ...finished }];
};

describe("the goals of the measured judge", () => {
  it("are met by a judge that tells half-done from finished", () => {
    expect(missedGoals(rowsOf({ risky: 150, unknown: 50 }, { safe: 70, unknown: 30 }))).toEqual([]);
  });

  it("are missed by a judge that says unknown to all", () => {
    expect(missedGoals(rowsOf({ unknown: 200 }, { unknown: 100 }))).toHaveLength(1);
  });

  it("are missed by a judge that says safe to all, and by one wrong safe in two thousand", () => {
    expect(missedGoals(rowsOf({ safe: 200 }, { safe: 100 }))).toHaveLength(1);
    const rows = rowsOf({ risky: 200 }, { safe: 100 });
    const [first, ...rest] = rows;
    expect(missedGoals([{ ...(first as Row), safe: 1 }, ...rest])).toEqual([
      "1 half-done groups were called safe",
    ]);
  });

  it("are missed by too few states: figures of a handful say nothing", () => {
    expect(missedGoals(rowsOf({ risky: 199 }, { safe: 100 })).length).toBeGreaterThan(1);
  });
});
