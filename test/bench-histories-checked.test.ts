/** The benchmark of the judge with the user's check beside it: the goals are missed where the check says no to all, and met where it passes. */
import { expect, it } from "vitest";
import { judgeChanges } from "../src/triage/verdict/judge.ts";

type Tree = Map<string, Buffer>;
type Row = Readonly<Record<"kind" | "who" | "language" | "of", string>> &
  Readonly<Record<"safe" | "risky" | "unknown", number>>;
interface Sum {
  readonly safe: number;
  readonly total: number;
}
const load = (file: string) => import(new URL(`../bench/histories/${file}`, import.meta.url).href);
interface Measured {
  readonly rows: Row[];
  readonly used: number;
}
const { measureChecked } = (await load("checked.mjs")) as {
  measureChecked: (
    pairs: readonly object[],
    how: { judge: typeof judgeChanges; seed: string; checkOf: () => Promise<object | null> },
  ) => Promise<Measured>;
};
const { believedChecked, checkedHeadline, missedChecked } = (await load("checked-score.mjs")) as {
  checkedHeadline: (rows: readonly Row[]) => {
    strong: Sum;
    finished: { who: string; plain: Sum; all: Sum }[];
  };
  missedChecked: (
    figures: { blind: Measured; real: Measured },
    goal?: { plain: number; all: number; leastFinished: number },
  ) => string[];
  believedChecked: (rows: readonly Row[]) => string[];
};
const { realCheckOf } = (await load("real-checks.mjs")) as {
  realCheckOf: (pair: { name: string; before: Tree }) => Promise<null>;
};

const tree = (files: Readonly<Record<string, string>>): Tree =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
const sql = (word: string): string =>
  Array.from({ length: 12 }, (_, at) => `SELECT ${word}${at};\n`).join("");
/** Of a language that nothing here can parse: only a check can speak for it. */
const PAIR = {
  ...{ name: "owner/work", label: "owner/work 1", changed: ["db/a.sql", "db/b.sql"] },
  before: tree({ "db/a.sql": sql("a"), "db/b.sql": sql("b") }),
  after: tree({
    "db/a.sql": sql("a").replace("a1;", "c;").replace("a5;", "d;"),
    "db/b.sql": sql("b").replace("b2;", "e;"),
  }),
};
const measured = (passes: () => Promise<boolean>) =>
  measureChecked([PAIR], { judge: judgeChanges, seed: "test", checkOf: async () => ({ passes }) });

it("has every finished group safe where the check passes and somebody said that it is done, none where it fails", async () => {
  const good = await measured(async () => true);
  for (const { who, all } of checkedHeadline(good.rows).finished)
    expect([who, all.safe > 0]).toEqual([who, true]);
  const bad = await measured(async () => false);
  expect(checkedHeadline(bad.rows).finished.map(({ all }) => all.safe)).toEqual([0, 0, 0, 0]);
  const few = { plain: 0.9, all: 0.6, leastFinished: 0 };
  const told = missedChecked({ blind: good, real: bad }, few);
  // Of all that is finished: nothing of it is plain and provable, and of nothing no share is too small.
  expect(told.filter((sentence) => sentence.includes("of all that is finished"))).toEqual(
    ["op end", "calls recorded", "turn completed", "exit code"].map(
      (who) => `the project's own check: 0.0 % of all that is finished was called safe, not 60.0 %: ${who}`,
    ),
  );
  expect(told.filter((sentence) => sentence.startsWith("a check that passes"))).not.toContainEqual(
    expect.stringContaining("of all that is finished"),
  );
  // By its own goals too few were judged, whatever they came to.
  expect(missedChecked({ blind: good, real: good })).toContain(
    "a check that passes on everything: only 0 finished groups that are plain and provable: op end",
  );
  expect(checkedHeadline(bad.rows).strong.safe).toBe(0);
});

it("has nothing safe that is on record as cut off, whatever passes (S3)", async () => {
  const { rows } = await measured(async () => true);
  const killed = rows.filter(({ who }) => /^(?:killed|quit)/.test(who));
  expect(killed.length).toBeGreaterThan(0);
  expect(killed.filter(({ safe }) => safe > 0)).toEqual([]);
});

it("says beside its goals how much of what is half-done was safe all the same, by who saw it", () => {
  const row = (who: string, of: string, safe: number): Row => ({
    ...{ kind: "cut at a line", who, language: "SQL", of },
    ...{ safe, risky: 0, unknown: 4 - safe },
  });
  const rows = [
    row("nobody watched", "shows", 2),
    row("killed", "shows", 0),
    row("lied, turn completed", "shows nowhere", 3),
  ];
  expect(believedChecked(rows)).toEqual([
    "2 of 4 half-done groups (50.0 %) were safe beside the check although it shows: nobody watched",
  ]);
});

it("misses where anything that is on record as cut off or given up is safe beside the check, and not where nobody watched (S3)", () => {
  const rows = ["killed", "killed, calls recorded", "quit and said so", "nobody watched"].map(
    (who): Row => ({
      ...{ kind: "cut at a line", who, language: "Go", of: "shows" },
      ...{ safe: 1, risky: 0, unknown: 3 },
    }),
  );
  const none = { rows: [], used: 0 };
  const goal = { plain: 0.9, all: 0.6, leastFinished: 0 };
  expect(
    missedChecked({ blind: { rows, used: 1 }, real: none }, goal).filter((one) => one.includes("on record")),
  ).toEqual(
    ["killed", "killed, calls recorded", "quit and said so"].map(
      (who) =>
        `a check that passes on everything: 1 of 4 half-done groups (25.0 %) were safe beside the check although it is on record as cut off: ${who}`,
    ),
  );
});

it("leaves out what has no check that passes here", async () => {
  expect(await realCheckOf(PAIR)).toBeNull();
  const { rows, used } = await measureChecked([PAIR], {
    judge: judgeChanges,
    seed: "test",
    checkOf: async () => null,
  });
  expect([rows, used]).toEqual([[], 0]);
});
