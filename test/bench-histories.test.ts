/**
 * The benchmark of the judge on real histories, on a history small enough to see through: every cut is what its name says, and the figures
 * miss their goals under a judge that believes everything and under one that knows nothing.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeChanges } from "../src/triage/verdict/judge.ts";

type Tree = Map<string, Buffer>;
interface Pair {
  readonly label: string;
  readonly before: Tree;
  readonly after: Tree;
  readonly changed: readonly string[];
}
interface State {
  readonly now: Map<string, Buffer | null>;
  readonly damaged: readonly string[];
  readonly shows?: boolean;
}
interface Row {
  readonly kind: string;
  readonly who: string;
  readonly language: string;
  readonly of: string;
  readonly safe: number;
  readonly risky: number;
  readonly unknown: number;
}
type Judge = (facts: never) => Promise<{ readonly verdict: string }[]>;

const load = (file: string) => import(new URL(`../bench/${file}`, import.meta.url).href);
const { CUTS, usesWhatIsMissing } = (await load("histories/cuts.mjs")) as {
  CUTS: Readonly<Record<string, (pair: Pair, random: unknown) => State | null>>;
  usesWhatIsMissing: (pair: Pair, state: State) => boolean;
};
const { hunksOf, withHunks } = (await load("histories/hunks.mjs")) as {
  hunksOf: (before: string, after: string) => { readonly lines: readonly string[] }[];
  withHunks: (before: string, hunks: readonly object[]) => string;
};
const { candidatesOf, languageOfPaths, pairOf } = (await load("histories/commits.mjs")) as {
  candidatesOf: (mirror: string, head: string) => string[];
  languageOfPaths: (paths: readonly string[]) => string;
  pairOf: (mirror: string, repository: string, commit: string) => Pair | null;
};
const { git, mirrorOf } = (await load("histories/mirrors.mjs")) as {
  git: (mirror: string, args: readonly string[]) => Buffer;
  mirrorOf: (repository: string, mirrors: string) => string | null;
};
const { measure } = (await load("histories/measure.mjs")) as {
  measure: (pairs: readonly Pair[], how: { judge: Judge; seed: string }) => Promise<Row[]>;
};
const { headline, missedGoals } = (await load("histories/score.mjs")) as {
  headline: (rows: readonly Row[]) => Record<string, { safe: number; total: number }>;
  missedGoals: (rows: readonly Row[], goal?: object) => string[];
};
const { randomFrom } = (await load("triage/random.mjs")) as { randomFrom: (text: string) => unknown };

const fn = (name: string, body = "return x;"): string =>
  `export function ${name}(x) {\n  const twice = x * 2;\n  ${body}\n}\n\n`;
const LIST = Array.from({ length: 8 }, (_, at) => `  "word${at}",\n`).join("");
const SHARED = ["one", "two", "three", "four", "five"].map((name) => fn(name)).join("");
const BEFORE = {
  "index.js": `import { parseText } from "./lib/parse.js";\n\n${fn("start", "return parseText(x);")}${fn("stop")}export const last = 1;\n`,
  "lib/parse.js": `${fn("parseText")}${fn("keepText")}export const kind = "text";\n`,
  "lib/old.js": SHARED,
  "README.md": "# Work\n\nWhat it does.\n",
};
const AFTER = {
  "index.js": `import { readText } from "./lib/parse.js";\nimport { five } from "./lib/moved.js";\n\n${fn("start", "return readText(x) + five(x);")}${fn("stop", "return 0;")}export const last = 2;\n`,
  "lib/parse.js": `${fn("readText")}${fn("keepText")}export const words = [\n${LIST}];\nexport const kind = "words";\n`,
  "lib/moved.js": SHARED,
  "README.md": "# Work\n\nWhat it does: `readText`, and how.\n",
};

let mirrors = "";
let pair: Pair;
let commits: string[] = [];

/** One commit after another, as people make them. */
async function commit(folder: string, files: Readonly<Record<string, string | null>>, author: string) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await (text === null ? rm(join(folder, path)) : writeFile(join(folder, path), text));
  }
  const say = (args: readonly string[]) =>
    git(join(folder, ".git"), [
      "--work-tree",
      folder,
      "-c",
      `user.name=${author}`,
      "-c",
      "user.email=a@example.org",
      ...args,
    ]);
  say(["add", "--all"]);
  say(["commit", "--quiet", "--no-gpg-sign", "-m", "work"]);
}

beforeAll(async () => {
  mirrors = await mkdtemp(join(tmpdir(), "refloat-histories-"));
  const folder = join(mirrors, "owner", "work");
  await mkdir(folder, { recursive: true });
  git(join(folder, ".git"), ["init", "--quiet", folder]);
  await commit(folder, BEFORE, "Somebody");
  await commit(folder, { ...AFTER, "lib/old.js": null }, "Somebody");
  await commit(folder, { "index.js": `${AFTER["index.js"]}\n` }, "dependabot[bot]");
  await commit(folder, { "package-lock.json": "{}\n" }, "Somebody");
  const mirror = mirrorOf("owner/work", mirrors) ?? "";
  commits = candidatesOf(mirror, "HEAD");
  pair = pairOf(mirror, "owner/work", commits[0] ?? "") as Pair;
});
afterAll(() => rm(mirrors, { recursive: true, force: true }));

const beforeOf = (path: string): string => (BEFORE as Record<string, string>)[path] ?? "";
const afterOf = (path: string): string => (AFTER as Record<string, string>)[path] ?? "";
const at = ({ now }: State, path: string): string | null =>
  (now.has(path) ? now.get(path) : pair.before.get(path))?.toString() ?? null;
const linesIn = (text: string): string[] => text.split("\n");

function statesOf(kind: string): State[] {
  const all = Array.from({ length: 30 }, (_, seed) => CUTS[kind]?.(pair, randomFrom(`${kind} ${seed}`)));
  const states = all.filter((state) => state !== null && state !== undefined);
  expect(states.length).toBeGreaterThan(0);
  return states;
}
/** Of a cut inside of one file: that file's path and text; all others are finished. */
function cutIn(state: State): { path: string; text: string } {
  const [path = ""] = state.damaged;
  expect(state.damaged).toHaveLength(1);
  for (const other of pair.changed.filter((one) => one !== path))
    expect(at(state, other)).toBe(pair.after.get(other)?.toString() ?? null);
  return { path, text: at(state, path) ?? "" };
}

describe("a commit as the work of an agent", () => {
  it("is one of a person's, with something in it that was written: no bot's, no lockfile's, not the first", () => {
    expect(commits).toHaveLength(1);
    expect(pair.changed).toEqual([...Object.keys({ ...AFTER, "lib/old.js": "" })].sort());
    expect(pair.before.get("index.js")?.toString()).toBe(BEFORE["index.js"]);
    expect(pair.after.get("index.js")?.toString()).toBe(AFTER["index.js"]);
  });

  it("is of a repository that has a mirror here, and of no other", () => {
    expect(mirrorOf("owner/work", mirrors)).not.toBeNull();
    expect(mirrorOf("owner/other", mirrors)).toBeNull();
  });

  it("is counted under the language of its sources", () => {
    expect(languageOfPaths(["a.go", "b.go", "README.md"])).toBe("Go");
    expect(languageOfPaths(["README.md", "a.rs", "CHANGELOG.md"])).toBe("Rust");
    expect(languageOfPaths(["README.md"])).toBe("prose");
  });

  it("gives its hunks, which together are the finished file", () => {
    for (const path of ["index.js", "lib/parse.js", "README.md"])
      expect(withHunks(beforeOf(path), hunksOf(beforeOf(path), afterOf(path)))).toBe(afterOf(path));
  });
});

describe("the cuts", () => {
  it("some of its files: those are finished, the others as they were, and never all", () => {
    for (const { now, damaged } of statesOf("some of its files")) {
      expect([...now.keys()]).toEqual([...damaged]);
      expect(now.size).toBeLessThan(pair.changed.length);
      for (const [path, bytes] of now) expect(bytes ?? undefined).toEqual(pair.after.get(path));
    }
  });

  it.each(["some of a file's hunks", "half a list"])(
    "%s: neither as it was nor finished, and of their lines alone",
    (kind) => {
      for (const state of statesOf(kind)) {
        const { path, text } = cutIn(state);
        expect([beforeOf(path), afterOf(path)]).not.toContain(text);
        const known = new Set([...linesIn(beforeOf(path)), ...linesIn(afterOf(path))]);
        expect(linesIn(text).filter((line) => !known.has(line))).toEqual([]);
        if (kind === "half a list") expect(text.length).toBeLessThan(afterOf(path).length);
      }
    },
  );

  it.each(["cut at a byte", "cut at a line"])("%s: the beginning of a file and not all of it", (kind) => {
    for (const state of statesOf(kind)) {
      const { path, text } = cutIn(state);
      expect(afterOf(path).startsWith(text)).toBe(true);
      expect(text.length).toBeLessThan(afterOf(path).length);
      expect(text.endsWith("\n")).toBe(kind === "cut at a line");
    }
  });

  it("missing import: all but one line that names what the rest uses", () => {
    for (const state of statesOf("missing import")) {
      const { path, text } = cutIn(state);
      const lost = linesIn(afterOf(path)).filter((line) => !linesIn(text).includes(line));
      expect(lost).toHaveLength(1);
      expect(lost[0]).toMatch(/^import \{ (\w+) \}/);
      expect(text).toContain(`${/\{ (\w+)/.exec(lost[0] ?? "")?.[1]}(`);
    }
  });

  it("rename half done: both of its files are there, or neither", () => {
    for (const state of statesOf("rename half done")) {
      const [old, fresh] = ["lib/old.js", "lib/moved.js"].map((path) => at(state, path) !== null);
      expect(old).toBe(fresh);
    }
  });

  it("changed name without its callers: a file still names what its definition's file does not even mention", () => {
    for (const state of statesOf("changed name without its callers")) {
      expect(state.damaged).toEqual(["lib/parse.js"]);
      expect(at(state, "index.js")).toBe(BEFORE["index.js"]);
      expect(at(state, "lib/parse.js")).not.toContain("parseText");
    }
  });

  it("changed name without its callers: a variable inside of a function has no callers elsewhere", () => {
    const tree = (name: string): Tree =>
      new Map(
        ["a", "b"].map((file) => [`${file}.js`, Buffer.from(`test(() => {\n  const ${name} = 1;\n});\n`)]),
      );
    const local = { label: "", before: tree("former"), after: tree("latter"), changed: ["a.js", "b.js"] };
    const made = Array.from({ length: 10 }, (_, seed) =>
      CUTS["changed name without its callers"]?.(local, randomFrom(String(seed))),
    );
    expect(made.filter((state) => state !== null)).toEqual([]);
  });

  it("changed parameters without its callers: a call fits what it was and not what it is, where that fails, and nobody else is meant", () => {
    const tree = (files: Readonly<Record<string, string>>): Tree =>
      new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
    const made = (
      ending: string,
      takes: readonly [string, string],
      call: string,
      fitting: string,
      more = {},
    ) => {
      const def = (what: string): string =>
        ending === "py" ? `def shaped(${what}):\n    pass\n` : `export function shaped(${what}) {}\n`;
      const files = (what: string, caller: string) => ({
        [`lib.${ending}`]: def(what),
        [`use.${ending}`]: caller,
        ...more,
      });
      const changed = [`lib.${ending}`, `use.${ending}`];
      const after = tree(files(takes[1], `shaped(${fitting})\n`));
      const given = { label: "", before: tree(files(takes[0], `${call}\n`)), after, changed };
      return CUTS["changed parameters without its callers"]?.(given, randomFrom("1"));
    };
    const state = made("py", ["a, b", "a"], "shaped(1, (2, '3,('))", "1");
    expect(state).toMatchObject({ damaged: ["lib.py"], shows: true });
    expect([...(state?.now.keys() ?? [])]).toEqual(["lib.py"]);
    expect(made("ts", ["a: A<1, 2>", "a: A<1, 2>, b: number"], "shaped(one)", "one, 2")).not.toBeNull();
    expect(made("py", ["self, a", "self, a, b"], "it.shaped(1)", "1, 2")).not.toBeNull();
    for (const none of [
      made("js", ["a", "a, b"], "shaped(1)", "1, 2"),
      made("py", ["a", "a, b=1"], "shaped(1)", "1, 2"),
      made("ts", ["a: string", "a: string, b?: number"], "shaped(one)", "one, 2"),
      made("py", ["a", "a, *more"], "shaped(1)", "1, 2"),
      made("py", ["a, b", "a"], "shaped(*both)", "1"),
      // The commit left it as it was: another of that name is meant.
      made("py", ["a, b", "a"], "shaped(1, 2)", "1, 2"),
      made("py", ["a, b", "a"], "shaped(1, 2)", "1", { "else.py": "def shaped(a, b):\n    pass\n" }),
    ])
      expect(none).toBeNull();
  });

  it("show where code uses what nothing defines yet; a text that names it shows nothing", () => {
    const only = (path: string): State => ({
      now: new Map([[path, pair.after.get(path) ?? null]]),
      damaged: [path],
    });
    expect(usesWhatIsMissing(pair, only("index.js"))).toBe(true);
    expect(usesWhatIsMissing(pair, only("README.md"))).toBe(false);
    expect(usesWhatIsMissing(pair, only("lib/parse.js"))).toBe(false);
  });

  it("show by no name in a comment or a text, and by no variable of another file; by a member that a template reads", () => {
    const user = (line: string): State => ({
      now: new Map([["user.js", Buffer.from(`${line}\n`)]]),
      damaged: ["user.js"],
    });
    const giver = "export function fresh() {\n  const inner = 1;\n  return inner;\n}\n";
    const whole = (line: string): Pair => ({
      label: "",
      before: new Map(),
      after: new Map([
        ["giver.js", Buffer.from(giver)],
        ["user.js", Buffer.from(`${line}\n`)],
      ]),
      changed: ["giver.js", "user.js"],
    });
    const shows = (line: string): boolean => usesWhatIsMissing(whole(line), user(line));
    expect(["run(fresh);", 'run("{{ .fresh }}");'].map(shows)).toEqual([true, true]);
    expect(['run("--fresh");', "run(); // fresh", "run({ inner: 2 });"].map(shows)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe("the figures", () => {
  const saying =
    (verdict: string): Judge =>
    async (facts) =>
      (await judgeChanges(facts)).map((group) => ({ ...group, verdict }));
  const few = { records: 0.75, without: 0.55, language: 0.5, leastHalfDone: 1, leastFinished: 1 };
  // Chance is drawn from the label, and a commit's name has its time in it.
  const measured = (judge: Judge): Promise<Row[]> =>
    measure([{ ...pair, label: "owner/work" }], { judge, seed: "test" });
  const SHOWING = /half-done groups were called safe although it shows$/;

  it("miss under a judge that says safe to all", async () => {
    const missed = missedGoals(await measured(saying("safe")), few);
    expect(missed[0]).toMatch(SHOWING);
    expect(missed.filter((sentence) => sentence.includes("were called safe, not"))).toEqual([]);
  });

  it("miss where a lie that shows nowhere is believed on less than an ended operation or a passed check, by who lied", async () => {
    const believed = (who: string): Row => ({
      ...{ kind: "some of its files", who, language: "Go", of: "shows nowhere" },
      ...{ safe: 1, risky: 0, unknown: 3 },
    });
    const liars = ["lied, operation ended", "lied, turn completed", "lied, calls recorded"];
    const missed = missedGoals(liars.map(believed), few).filter((sentence) => sentence.includes("nowhere"));
    expect(missed.map((sentence) => /^1 of 4 .*: (.*)$/.exec(sentence)?.[1])).toEqual(liars.slice(1));
  });

  it("ask for finished work without records by a completed turn and by an exit code alone, in each language, too", async () => {
    const all = missedGoals(await measured(saying("safe")), few);
    const missed = missedGoals(await measured(saying("unknown")), few);
    for (const who of ["", "TS/JS, "])
      for (const told of [
        "with an adapter's records",
        "without any, on a completed turn",
        "without any, on an exit code alone",
      ]) {
        expect(missed.filter((sentence) => sentence.endsWith(`: ${who}${told}`))).toHaveLength(1);
        expect(all.filter((sentence) => sentence.endsWith(`: ${who}${told}`))).toEqual([]);
      }
  });

  it("are shown of every report that was run, and the newest is the one that is run next (T6)", async () => {
    const { REPORTED, REPORTED_OF_A_KIND } = (await load("histories/sets.mjs")) as Record<
      string,
      readonly string[]
    >;
    const all = [...(REPORTED ?? []), ...(REPORTED_OF_A_KIND ?? [])];
    const folder = new URL("../bench/histories/", import.meta.url);
    const pinned = (await readdir(new URL("sets/", folder))).filter((name) =>
      /(?:^|-)report(?:-\d+)?\.json$/.test(name),
    );
    expect(pinned.sort()).toEqual(all.map((set) => `${set}.json`).sort());
    const page = await readFile(new URL("FIGURES.md", folder), "utf8");
    expect(all.filter((set) => !page.includes(`| ${set} |`))).toEqual([]);
  });

  it("that are missed stand where a user reads what the judge misses: of the newest report, of those of one kind, of the packages, with the check and without (T6)", async () => {
    const { REPORTED, REPORTED_OF_A_KIND } = (await load("histories/sets.mjs")) as Record<
      string,
      readonly string[]
    >;
    const page = (await readFile(new URL("../docs/triage.md", import.meta.url), "utf8")).split(
      "### What it misses",
    );
    const figures = async (name: string): Promise<{ rows: Row[]; missed: string[]; beside?: string[] }> =>
      JSON.parse(await readFile(new URL(`../bench/${name}.json`, import.meta.url), "utf8"));
    const newest = REPORTED?.at(-1) ?? "";
    const checked = await figures(`histories/figures/${newest}-checked`);
    const { missedChecked } = (await load("histories/checked-score.mjs")) as {
      missedChecked: (figures: object) => string[];
    };
    const ofKinds = (REPORTED_OF_A_KIND ?? []).map((set) => figures(`histories/figures/${set}`));
    const histories = await Promise.all([figures(`histories/figures/${newest}`), ...ofKinds]);
    const { NEWEST } = (await load("triage/sets.mjs")) as { NEWEST: string };
    const sentences = [
      ...histories.flatMap(({ rows }) => missedGoals(rows)),
      ...missedChecked(checked),
      ...(checked.beside ?? []),
      ...(await figures(`triage/figures/${NEWEST}`)).missed,
    ];
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.filter((sentence) => !page[1]?.includes(`- ${sentence}\n`))).toEqual([]);
    expect(page[1]).toMatch(
      /- with the user's check [\d.]+ % of finished groups were called safe, not 90\.0 %/,
    );
  });

  it("miss under a judge that knows nothing, for the finished work alone", async () => {
    const missed = missedGoals(await measured(saying("unknown")), few);
    expect(missed.filter((sentence) => SHOWING.test(sentence))).toEqual([]);
    expect(missed).toContain(
      "0.0 % of finished groups were called safe, not 75.0 %: with an adapter's records",
    );
    expect(missed).toContain(
      "0.0 % of finished groups were called safe, not 55.0 %: without any, on a completed turn",
    );
  });

  it("have every kind and witness; half-done work shows or shows nowhere, finished work is plain and provable or other", async () => {
    const rows = await measured((facts) => judgeChanges(facts));
    // This commit has no migration, and no function of it takes more than before.
    const kinds = Object.keys(CUTS).filter((kind) => !/migration|parameters/.test(kind));
    expect([...new Set(rows.map(({ kind }) => kind))].sort()).toEqual([...kinds, "finished"].sort());
    for (const { kind, who, of } of rows) {
      const classes = kind === "finished" ? ["plain and provable", "other"] : ["shows", "shows nowhere"];
      expect(classes).toContain(of);
      // What the records say shows, whatever the bytes do: only a lie can show nowhere.
      if (of === "shows nowhere") expect(who).toMatch(/^lied/);
    }
    expect(headline(rows).strong?.safe).toBe(0);
    const finished = rows.filter(({ kind }) => kind === "finished");
    expect([...new Set(finished.map(({ of }) => of))]).toEqual(["plain and provable"]);
  });

  it.each([
    ["model without its migration", "alter table a add column birthday date;\n", true],
    ["code without a migration that it does not name", "update a set b = 2;\n", true],
    ["code without a migration that it does not name", "alter table a add column size int;\n", true],
    ["model without its migration", "alter table a add column size int;\n", false],
  ])(
    "have a %s: by what the migration makes, %j: %j; it shows nowhere and is not safe on a word (S3)",
    async (kind, migration, isOne) => {
      const tree = (files: Readonly<Record<string, string>>): Tree =>
        new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
      const model = (fields: string): string =>
        `${fn("keep")}export const fields = [${fields}];\nexport const last = 1;\n`;
      const head = { "models/user.js": model('"name"'), "migrations/1.sql": "create table a (b int);\n" };
      const before = tree(head);
      const after = tree({
        ...head,
        "models/user.js": model('"name", "birthday"'),
        "migrations/2.sql": migration,
      });
      const work = { label: "work", before, after, changed: ["migrations/2.sql", "models/user.js"] };
      const all = await measure([work], { judge: (facts) => judgeChanges(facts), seed: "test" });
      const rows = all.filter((row) => row.kind === kind);
      const lies = rows.filter(({ who }) => who.startsWith("lied"));
      expect(lies.length > 0).toBe(isOne);
      expect(lies.map(({ of }) => of)).toEqual(lies.map(() => "shows nowhere"));
      expect(lies.map(({ safe }) => safe)).toEqual(lies.map(() => 0));
    },
  );

  it("count a file that was taken away as not plain: it is risky by design", async () => {
    const shrunk = { ...pair, after: new Map([...pair.after].filter(([path]) => path !== "lib/moved.js")) };
    const rows = await measure([{ ...shrunk, changed: ["lib/old.js"] }], {
      judge: saying("safe"),
      seed: "test",
    });
    const finished = rows.filter(({ kind }) => kind === "finished");
    expect([...new Set(finished.map(({ of }) => of))]).toEqual(["other"]);
  });

  it("miss by too few states", async () => {
    expect(missedGoals([])).toContain("only 0 half-done groups were judged, not 2000");
  });
});
