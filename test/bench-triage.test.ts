/**
 * The measured judge measures: a judge that knows nothing must fail, one that believes everything, too, and every kind of
 * half-done work is what its name says.
 */
import { describe, expect, it } from "vitest";
import { judgeChanges } from "../src/triage/verdict/judge.ts";

interface Row {
  readonly kind: string;
  readonly agent: string;
  readonly level: string;
  readonly safe: number;
  readonly risky: number;
  readonly unknown: number;
}
type Tree = Map<string, Buffer>;
interface Pair {
  readonly name: string;
  readonly label: string;
  readonly before: Tree;
  readonly after: Tree;
  readonly changed: readonly string[];
}
interface State {
  readonly before?: Tree;
  readonly now: Map<string, Buffer | null>;
  readonly damaged: readonly string[];
}
type Judge = (facts: never) => Promise<{ readonly verdict: string }[]>;

const load = (file: string) => import(new URL(`../bench/triage/${file}`, import.meta.url).href);
const { missedGoals, missedVerified } = (await load("score.mjs")) as {
  missedGoals: (rows: readonly Row[], least?: number) => string[];
  missedVerified: (rows: readonly Row[]) => string[];
};
const { KINDS, expectedRows } = (await load("kinds.mjs")) as {
  KINDS: Readonly<Record<string, (pair: Pair, random: unknown) => Promise<State | null> | State | null>>;
  expectedRows: () => Pick<Row, "kind" | "agent" | "level">[];
};
const { measure } = (await load("measure.mjs")) as {
  measure: (sets: object, how: { judge: Judge; seed: string; perKind: number }) => Promise<Row[]>;
};
const { namedBy, namesTaken } = (await load("text-refs.mjs")) as {
  namedBy: (path: string, text: string, tree: Tree) => { specifier: string; target: string }[];
  namesTaken: (text: string, specifier: string) => string[];
};
const { codeOf, endsAsBefore, isGrown } = (await load("cuts.mjs")) as {
  isGrown: (path: string, before: Buffer | undefined, cut: Buffer) => boolean;
  codeOf: (path: string, text: string) => string;
  endsAsBefore: (before: string, cut: string, isSource: boolean) => boolean;
};
const { randomFrom } = (await load("random.mjs")) as { randomFrom: (text: string) => unknown };

const tree = (files: Readonly<Record<string, string>>): Tree =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
const lines = (count: number, of: string): string =>
  Array.from({ length: count }, (_, at) => `  const ${of}${at} = ${at} * 2;\n  x += ${of}${at};\n`).join("");
const script = (names: readonly string[], head = ""): string =>
  `"use strict";\n\n${head}${names.map((name) => `function ${name}(x) {\n${lines(6, name)}  return x;\n}\n\n`).join("")}module.exports = { ${names.join(", ")} };\n`;
const manifest = (version: string): string =>
  `${JSON.stringify({ name: "work", main: "index.js", dependencies: { qs: version } }, null, 2)}\n`;
const lock = (version: string): string =>
  `${JSON.stringify({ lockfileVersion: 3, packages: { "": { dependencies: { qs: version } } } }, null, 2)}\n`;

/** Two versions of a small package: a caller, what it calls, a new file that both name, a text. */
const before = {
  "package.json": manifest("^6.1.0"),
  "index.js": script(["start"], 'const { parse } = require("./lib/parse");\n\nexports.parse = parse;\n'),
  "lib/parse.js": script(["parse", "split"]),
  "README.md": "# Work\n\nWhat it does.\n",
};
const after = {
  "package.json": manifest("^6.2.0"),
  "index.js": script(
    ["start"],
    'const { parse, join } = require("./lib/parse");\nconst { cut } = require("./lib/cut");\n\nexports.parse = parse;\nexports.all = [join, cut];\n',
  ),
  "lib/parse.js": script(
    ["parse", "split", "join"],
    'const { cut } = require("./cut");\n\nexports.c = cut;\n',
  ),
  "lib/cut.js": script(["cut"]),
  "README.md": "# Work\n\nWhat it does, and how.\n",
};
const pairOf = (from: Readonly<Record<string, string>>, to: Readonly<Record<string, string>>): Pair => ({
  name: "work",
  label: "work 1.0.0 to 1.1.0",
  before: tree(from),
  after: tree(to),
  changed: Object.keys(to).sort(),
});
const pair = pairOf(before, after);
const locked = pairOf(
  { ...before, "package-lock.json": lock("^6.1.0") },
  { ...after, "package-lock.json": lock("^6.2.0") },
);
const sets = { pairs: [pair], withConfig: [pair], locked: [locked] };
const measured = (judge: Judge): Promise<Row[]> => measure(sets, { judge, seed: "test", perKind: 4 });
const saying =
  (verdict: string): Judge =>
  async (facts) =>
    (await judgeChanges(facts)).map((group) => ({ ...group, verdict }));

describe("the benchmark of the judge", () => {
  it("is missed by a judge that says unknown to all, for nothing but the finished work it does not know", async () => {
    expect(missedGoals(await measured(saying("unknown")), 1)).toEqual([
      "0.0 % of finished groups were called safe, not 70.0 %",
    ]);
  });

  it("is missed by a judge that says safe to all", async () => {
    const missed = missedGoals(await measured(saying("safe")), 1);
    expect(missed).toHaveLength(1);
    expect(missed[0]).toMatch(/^\d+ half-done groups were called safe$/);
  });

  it("is met by the judge there is, on a package small enough to see through", async () => {
    const rows = await measured((facts) => judgeChanges(facts));
    expect(missedGoals(rows, 1)).toEqual([]);
    expect(rows.filter(({ agent }) => agent === "not tellable").length).toBeGreaterThan(0);
  });
});

describe("the kinds of half-done work", () => {
  const stateOf = async (kind: string, seed: string, of = pair): Promise<State | null> =>
    (await KINDS[kind]?.(of, randomFrom(`${kind} ${seed}`))) ?? null;
  const statesOf = async (kind: string, of = pair): Promise<State[]> => {
    const all = await Promise.all(Array.from({ length: 12 }, (_, at) => stateOf(kind, String(at), of)));
    return all.filter((state) => state !== null);
  };
  const at = (state: State, path: string): string | null => {
    const bytes = state.now.has(path) ? state.now.get(path) : (state.before ?? pair.before).get(path);
    return bytes?.toString() ?? null;
  };

  it("file missing: what a file of the work names is not there", async () => {
    const states = await statesOf("file missing");
    expect(states.length).toBeGreaterThan(0);
    for (const state of states) {
      expect(at(state, "lib/cut.js")).toBeNull();
      expect(state.damaged.every((path) => at(state, path)?.includes("/cut"))).toBe(true);
    }
  });

  it.each(["truncated at a byte", "truncated at a line that parses"])(
    "%s: the beginning of one file of the work, and never all of it",
    async (kind) => {
      const states = await statesOf(kind);
      expect(states.length).toBeGreaterThan(0);
      for (const state of states) {
        const [path = ""] = state.damaged;
        const [whole, cut] = [(after as Record<string, string>)[path] ?? "", at(state, path) ?? ""];
        expect(cut.length).toBeLessThan(whole.length);
        expect(whole.startsWith(cut.trimEnd())).toBe(true);
        if (kind === "truncated at a line that parses") expect(cut.endsWith("\n")).toBe(true);
      }
    },
  );

  it("lockfile not updated: one of manifest and lockfile is as it was, the other is new", async () => {
    for (const state of await statesOf("lockfile not updated", locked)) {
      const changed = ["package.json", "package-lock.json"].filter((path) => state.now.has(path));
      expect(changed).toEqual([...state.damaged]);
    }
  });

  it("caller without callee: a name is wanted that its file does not give", async () => {
    const states = await statesOf("caller without callee");
    expect(states.length).toBeGreaterThan(0);
    for (const state of states) {
      const wanted = [...state.now].flatMap(([, bytes]) => [
        ...(bytes?.toString() ?? "").matchAll(/\{ ([^}]*) \} = require\("\.\/(?:lib\/)?(\w+)"\)/g),
      ]);
      const lost = wanted.filter(([, names = "", file = ""]) => {
        const text = at(state, `lib/${file}.js`) ?? "";
        return names.split(", ").some((name) => !text.includes(name));
      });
      expect(lost.length).toBeGreaterThan(0);
    }
  });

  it("caller without callee: a method is called that no file has", async () => {
    const box = (more = "") =>
      `class Box {\n  measure() {\n    return 1;\n  }\n${more}}\nmodule.exports = { Box };\n`;
    const use = (name: string) =>
      `const { Box } = require("./lib/box");\nexports.f = () => new Box().${name}();\n`;
    const methods = pairOf(
      { "index.js": use("measure"), "lib/box.js": box() },
      { "index.js": use("enlarge"), "lib/box.js": box("  enlarge() {\n    return 2;\n  }\n") },
    );
    const states = await statesOf("caller without callee", methods);
    const calls = states.map(({ now }) => /\.(\w+)\(\);\n$/.exec(now.get("index.js")?.toString() ?? "")?.[1]);
    expect(calls).toContain("enlarge");
    for (const { now } of states) {
      const [called] = /(?<=\.)\w+(?=\(\);\n$)/.exec(now.get("index.js")?.toString() ?? "") ?? [];
      const file = (now.get("lib/box.js") ?? methods.before.get("lib/box.js"))?.toString() ?? "";
      const isListLost = /\{ (\w+) \}/.exec(now.get("index.js")?.toString() ?? "")?.[1] !== "Box";
      expect(isListLost || !file.includes(`${called}(`)).toBe(true);
    }
  });

  it("caller without callee: what a package made has its methods, though a file here gives one of that name", async () => {
    const own = "class Box {\n  enlarge() {\n    return 2;\n  }\n}\nmodule.exports = { Box, one: 1 };\n";
    const use = (by: string, more = "") =>
      `const { one } = require("./lib/box");\nconst { Crate } = require("crates");\nexports.f = () => {\n  const it = ${by};\n${more}  return it.enlarge(one);\n};\n`;
    const methodsOf = (by: string) =>
      statesOf(
        "caller without callee",
        pairOf(
          { "index.js": use(by), "lib/box.js": own },
          { "index.js": use(by, "  it.open();\n"), "lib/box.js": own },
        ),
      ).then((states) =>
        states.filter(({ now }) => /enlargeNext/.test(now.get("index.js")?.toString() ?? "")),
      );
    expect(await methodsOf("new Crate()")).toEqual([]);
    expect(await methodsOf("await Crate.make()")).toEqual([]);
    expect(await methodsOf("exports.made()")).not.toEqual([]);
  });

  it("caller without callee: a name that stands for two things in a file is not said to be of either", () => {
    const one = 'const b = require("./b");\nb.run();\n';
    expect(namesTaken(one, "./b")).toEqual(["run"]);
    expect(
      namesTaken(`${one}function other() {\n  const b = require("other");\n  b.id();\n}\n`, "./b"),
    ).toEqual([]);
  });

  it("rename half done: what a listing of a source names is named by nobody", () => {
    const files = tree({ "lib/a.js": "", "lib/b.js": "" });
    const call = "const a = require('./a');\n";
    expect(namedBy("lib/b.js", call, files)).toEqual([{ specifier: "./a", target: "lib/a.js" }]);
    expect(
      namedBy("lib/b.js", `show(${JSON.stringify(`${"<td>".repeat(60)}${call}// why\n`)});\n`, files),
    ).toEqual([]);
  });

  it("truncated at a line that parses: lines of a comment are no code, however they begin", () => {
    expect(codeOf("a.ts", "f();\n// one\n/*\nfunction g() {}\n*/\n").trim()).toBe("f();");
    expect(codeOf("a.ts", "f();\n/* one */ g();\n").split("\n")[1]?.trim()).toBe("g();");
  });

  it("a cut is told by nobody that ends with the whole paragraph its text ended with, and with no less", () => {
    const text = (end: string): string => `Words.\n\n    some code, and more\n    its last line\n${end}`;
    expect(endsAsBefore(text(""), `More ${text("\n")}`, false)).toBe(true);
    expect(endsAsBefore("One.\r\n", "One, too.\n\nOne.\n", false)).toBe(true);
    expect(endsAsBefore(text(""), "Other words.\n\n    some code, and more\n", false)).toBe(false);
    expect(endsAsBefore("Words.\n\n```\nan example\n\n```\n", "Others.\n\n```\n\n```\n", false)).toBe(false);
    const source = "f(() => {\n\n  return somethingLong;\n});\n";
    expect(endsAsBefore(source, source.replace("f(", "g("), true)).toBe(false);
  });

  it("a journal that only grew by whole lines is whole wherever it stops; any other file, or half a line, is not", () => {
    const [before, grown] = [Buffer.from("one\n"), Buffer.from("one\ntwo\n")];
    expect(isGrown("build/lint.log", before, grown)).toBe(true);
    expect(isGrown("build/lint.log", before, grown.subarray(0, 6))).toBe(false);
    expect(isGrown("build/lint.log", Buffer.from("other\n"), grown)).toBe(false);
    expect(isGrown("build/lint.log", undefined, grown)).toBe(true);
    expect(isGrown("build/lint.log", Buffer.from("on"), grown)).toBe(false);
    expect(isGrown("build/lint.txt", before, grown)).toBe(false);
    expect(isGrown("journal/a.js", before, grown)).toBe(false);
  });

  it("a file left as it was: one file of the work is at HEAD's, and nothing else is", async () => {
    for (const state of await statesOf("a file left as it was"))
      expect(pair.changed.filter((path) => !state.now.has(path))).toHaveLength(1);
  });

  it.each(["rename half done", "config downgraded", "stub in place of a file"])(
    "%s: is made, and differs from the finished work in what it calls damaged",
    async (kind) => {
      const states = await statesOf(kind);
      expect(states.length).toBeGreaterThan(0);
      for (const state of states)
        expect(
          state.damaged.some((path) => at(state, path) !== ((after as Record<string, string>)[path] ?? null)),
        ).toBe(true);
    },
  );
});

const rowsOf = (halfDone: Partial<Row>, finished: Partial<Row>): Row[] => {
  const none = { safe: 0, risky: 0, unknown: 0 };
  return [
    ...expectedRows().map((row) => ({ ...row, ...none, ...halfDone })),
    { kind: "finished", agent: "finished", level: "operations", ...none, ...finished },
  ];
};

describe("the goals of the measured judge", () => {
  it("are met by a judge that tells half-done from finished", () => {
    expect(missedGoals(rowsOf({ risky: 150, unknown: 50 }, { safe: 70, unknown: 30 }))).toEqual([]);
  });

  it("are missed by one wrong safe in two thousand", () => {
    const [first, ...rest] = rowsOf({ risky: 200 }, { safe: 100 });
    expect(missedGoals([{ ...(first as Row), safe: 1 }, ...rest])).toEqual([
      "1 half-done groups were called safe",
    ]);
  });

  it("are missed by too few states, and by a kind that was never made", () => {
    expect(missedGoals(rowsOf({ risky: 199 }, { safe: 100 })).length).toBeGreaterThan(1);
    const rows = rowsOf({ risky: 200 }, { safe: 100 }).filter(({ kind }) => kind !== "rename half done");
    expect(missedGoals(rows)).toHaveLength(5);
    expect(missedGoals(rows)[0]).toBe("only 0 of rename half done, cut off, operations");
  });

  it("with the user's check are missed below nine of ten, and by one wrong safe", () => {
    expect(missedVerified(rowsOf({ risky: 1 }, { safe: 9, unknown: 1 }))).toEqual([]);
    expect(missedVerified(rowsOf({ risky: 1 }, { safe: 8, unknown: 2 }))).toHaveLength(1);
    expect(missedVerified(rowsOf({ safe: 1 }, { safe: 9, unknown: 1 }))).toHaveLength(1);
  });
});
