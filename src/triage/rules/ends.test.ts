/** Half-done work that looked whole to an earlier judge, each beside the finished work it must not be taken for. */
import { describe, expect, it } from "vitest";
import {
  added,
  type Case,
  COMPLETED,
  DONE,
  ENDED,
  editedTo,
  groupOf,
  judge,
  rulesOf,
} from "../../../test/support/triage-facts.ts";

const turned = { turns: [COMPLETED] };
const edit = (before: string, after: string, path = "src/a.js"): Case => editedTo(path, before, after);
const big = (name: string): string =>
  `exports.${name} = function (x) {\n${Array.from({ length: 30 }, (_, at) => `  x += ${at};\n`).join("")}  return x;\n};\n`;
const small = (name: string): string => `internals.${name} = (x) => {\n  return x;\n};\n`;
const releases = (from: number, to: number): string =>
  Array.from(
    { length: from - to + 1 },
    (_, at) => `1.${from - at}.0\n=====\n\n  * what came with ${from - at}\n`,
  ).join("\n");

const whole = (steps: number): string =>
  `module.exports = function find(dir) {\n${Array.from({ length: steps }, (_, at) => `  dir += ${at};\n`).join("")}  return dir;\n};\n`;

const verdictsOf = async (given: Case): Promise<string[]> =>
  (await judge(given)).map(({ verdict }) => verdict);

describe("open-end", () => {
  it.each([
    [
      "a file that ended otherwise, however large the block that is left",
      edit(`${big("type")}${small("a")}${small("b")}`, big("type").replace("x += 3", "x += 4")),
    ],
    [
      "one of several lists of exports",
      edit(
        "const a = 1;\nconst b = 2;\nexport = a;\n",
        `const a = 1;\nconst b = 2;\n${"// about\n".repeat(9)}export { a };\nexport { b };\n`,
        "a.d.ts",
      ),
    ],
    [
      "a new file that gives nothing of what it declares",
      added("a.d.ts", "declare function f(x: string): string;\n"),
    ],
    [
      "a new file of two lines cut before its export, whatever the second of them does",
      added("types/standard.ts", "const types = { a: ['b'] };\nObject.freeze(types);\n"),
    ],
    ["a new file that only takes", added("test/app.js", "require('net')\n")],
    ["the first line of a licence", added("LICENSE.md", "ISC License (ISC)\n")],
    ["the title of a history", added("CHANGELOG.md", "# Changelog\n")],
    [
      "a new text cut where its only sentence was wrapped",
      added(
        "test/more.txt",
        "// This file is here only to see to it that whoever goes through the folder goes\n",
      ),
    ],
    ["a new text that announces a list", added("docs/a.md", "The script has these options:\n")],
    [
      "a history cut after its newest entry",
      edit("1.0.0\n-----\n\n- First.\n", "2.0.0\n-----\n\n- Second.\n", "CHANGELOG.md"),
    ],
    [
      "the same, where it takes something",
      added("src/a.js", 'import { b } from "./b.js";\nObject.freeze(b);\n', {
        "src/b.js": "export const b = {};\n",
      }),
    ],
    [
      "a new file that is one large statement, and gives it to nobody",
      added("lib/a.js", `${big("x").replace("exports.x", "Object.prototype.x")}`),
    ],
    [
      "a short file that ended with what it gives, and now does not",
      edit("const a = {};\nmodule.exports = a;\n", "const a = { b: 1 };\nObject.freeze(a);\n"),
    ],
    [
      "a new function that is most of its file and given to nobody",
      added("lib/is-a.js", `"use strict";\n\n${big("x").replace("exports.x = function", "function isA")}`),
    ],
    [
      "a list of exports that gives what is not there yet",
      added("a.d.ts", "export = runtime;\n/**\n * About it.\n * And more.\n */\n"),
    ],
    [
      "the same end, and a name less in what it gives",
      edit(
        "module.exports = {\n  a: 1,\n  b: 2,\n  c: 3,\n};\n",
        "module.exports = {\n  b: 2,\n  c: 4,\n};\n",
        "index.js",
      ),
    ],
    ["a file with no code left", edit("export * from './a';\n", "// made by a program\n", "index.d.ts")],
    [
      "a short file that ended with what it gives",
      edit(
        "const equal: (a: any) => boolean;\nexport = equal;\n",
        "declare const equal: (a: any) => boolean;\n",
        "index.d.ts",
      ),
    ],
    ["a heading with nothing below it", added("CHANGELOG.md", "# Changelog\n\n## 2.1.0\n")],
    ["the heading of an entry, and nothing else", added("test/fixtures/_CHANGELOG.md", "### 0.0.13\n")],
    ["two lines of a page that is never so short", added("SECURITY.md", "# Policy\nWrite to us.\n")],
    [
      "a few new types, a line each",
      added("a.d.ts", "export declare function f(): 1;\nexport declare function g(): 2;\n"),
    ],
    ["three lines that end no sentence", added("LICENSE", "MIT License\n\nCopyright 2018 A. Nobody\n")],
    [
      "a short file left with a list of what is not there",
      edit(
        "export = name;\ndeclare function name(x: 1): 1;\n",
        "export = name;\n/** More. */\n",
        "types/name.d.ts",
      ),
    ],
    ["the first lines of a history", added("History.md", "\n0.1.0 / 2013-10-28\n")],
    ["new data that does not close itself", added("a.yml", "---\nversion: 1\n")],
    [
      "a history that lost its past and gained a release",
      edit(releases(2, 1), "1.3.0\n=====\n\n  * what came with 3\n", "NEWS.md"),
    ],
    [
      "a long text whose last line stands elsewhere in it",
      edit(
        `${releases(9, 1)}\n1.0.0\n=====\n`,
        `1.10.0\n======\n\n  * new\n\n${releases(9, 4)}\n1.3.0\n=====\n`,
        "NEWS.md",
      ),
    ],
    [
      "a short text that grew at its end and lost a line above",
      edit("# Title\n\nSome text.\nAnd more.\n", "# Title\n\nAnd more.\nAnd this.\n", "README.md"),
    ],
    [
      "another last line of a long text, below which more may be missing",
      edit(releases(9, 1), releases(9, 1).replace("with 1\n", "with one\n"), "NEWS.md"),
    ],
    [
      "new types that end with an interface which is most of them",
      added("types/a.d.ts", `export interface Shape {\n${"  side: number;\n".repeat(12)}}\n`),
    ],
    [
      "types that lost a helper below the one they are named after",
      edit(
        `export interface Shape {\n${"  side: Side;\n".repeat(9)}}\nexport type Side = number;\ninterface Low {}\n`,
        `export type Side = string;\nexport interface Shape {\n${"  side: Side;\n".repeat(9)}}\n`,
        "types/shape.d.ts",
      ),
    ],
    [
      "a page begun below a heading",
      edit("# Title\n", "# Title\n\nWhat it does:\n\n* one thing\n* another\n", "README.md"),
    ],
    [
      "lines below a short text that announce more",
      edit("# Title\n\nSome text here.\n", "# Title\n\nSome text here.\nHow to use it:\n", "README.md"),
    ],
    ["lines below a long text", edit(releases(9, 1), `${releases(9, 1)}\nOne more line.\n`, "NOTES.md")],
    [
      "two lines that went at the end of a short file",
      edit("module.exports = a\n  ? b\n  : c\n", "module.exports = a\n", "lib/a.js"),
    ],
    [
      "the statement it ended with, half of which is gone: below it the other half may be missing",
      edit(
        whole(20),
        `function later(dir) {\n${"  dir += later.by;\n".repeat(9)}  return dir;\n}\n\n${whole(3).replace("return dir", "return later(dir)")}`,
      ),
    ],
    [
      "code that is not followed and ends otherwise",
      edit("x = 1\n".repeat(8) + "y = compute(x)\n".repeat(8), "x = 1\n".repeat(12), "a.lua"),
    ],
  ] as const)("speaks: %s; the work is never safe on its agent's word", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(rulesOf)).toContain("open-end");
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it.each([
    [
      "one block around everything, in a new file",
      added("test/a.js", `describe("a", () => {\n${"  it.skip;\n".repeat(12)}});\n`),
    ],
    [
      "a name more in the only list of exports",
      edit(
        `${"// about\n".repeat(9)}const a = 1;\nconst b = 2;\nexport { a };\n`,
        `${"// about\n".repeat(9)}const a = 1;\nconst b = 2;\nexport { a, b };\n`,
        "src/a.mjs",
      ),
    ],
    [
      "a new text of one long line that comes to its end",
      added(
        "notes.txt",
        "This file is here only to see to it that whoever goes through the folder goes on.\n",
      ),
    ],
    [
      "a new text of one line that ends with an address",
      added(
        "notes.txt",
        "What this folder is for and who may change it is told at https://example.invalid/notes\n",
      ),
    ],
    ["a new text of a few words", added("notes.txt", "whatever comes to mind\n")],
    ["a short new text", added("docs/a.md", "# A\n\nIn whole sentences.\n")],
    [
      "an edit inside the one block around everything",
      edit(
        `if (process.ok) {\n${"  exports.a = 1;\n".repeat(12)}}\n`,
        `if (process.fine) {\n${"  exports.a = 1;\n".repeat(12)}}\n`,
      ),
    ],
    [
      "a line below a short text",
      edit("# Title\n\nSome text here.\n", "# Title\n\nSome text here.\nOne more line.\n", "README.md"),
    ],
    [
      "a program of a few lines beside what it takes",
      {
        head: {},
        now: {
          "src/feature.mjs": "export function feature() {\n  return 42;\n}\n",
          "src/use.mjs": 'import { feature } from "./feature.mjs";\nconsole.log(feature());\n',
        },
        facts: turned,
      },
    ],
    [
      "a function above the statement it ended with, which is shorter by some lines",
      edit(
        whole(20),
        `function later(dir) {\n${"  dir += later.by;\n".repeat(9)}  return dir;\n}\n\n${whole(14).replace("return dir", "return later(dir)")}`,
      ),
    ],
    ["one key of data", added("a.yml", "version: 1\n")],
    [
      "a release on top of a history whose past is there",
      edit(releases(9, 1), `${releases(10, 10)}\n${releases(9, 1)}`, "NEWS.md"),
    ],
    [
      "the last line of a short text edited",
      edit("# A\n\nIn short.\nIt is so.\n", "# A\n\nIn short.\nIt was so.\n", "docs/a.md"),
    ],
  ] as const)("is silent: %s; the finished work is safe", async (_, given) => {
    expect(await verdictsOf(given)).toEqual(["safe"]);
  });
});

describe("loose-names", () => {
  const types = "declare const match: (text: string) => boolean;\ntype Matcher = string;\n";

  it("speaks of types that are declared beside a list and given to nobody", async () => {
    const cut = edit(`${types}export = match;\n`, `${types}export { Matcher };\n`, "index.d.ts");
    expect((await judge(cut)).flatMap(rulesOf)).toContain("loose-names");
    const whole = edit(`${types}export = match;\n`, `${types}export { Matcher, match };\n`, "index.d.ts");
    expect(await verdictsOf(whole)).toEqual(["safe"]);
  });

  it.each([
    ["of two lines that gives what it made", "src/a.js", "const a = {};\nexport default a;\n"],
    ["that is one statement and done", "src/a.js", 'console.log("done");\n'],
    ["that gives in its only statement", "src/a.js", "export const a = 1;\n"],
    ["that is a line of text", "docs/a.md", "Some words.\n"],
    ["that takes and gives", "src/a.js", 'require("net");\nmodule.exports = "a";\n'],
    ["that is a test, which gives nothing to anybody", "test/a.test.js", "const a = 1;\ncheck(a);\n"],
  ])("is silent on a new file %s", async (_, path, text) => {
    expect((await judge(added(path, text))).flatMap(rulesOf)).not.toContain("open-end");
  });

  it("speaks of a name that is given and that nothing declares: the file it was to be handed on from is missing", async () => {
    const head = { "src/types.ts": "export type Context = string;\n" };
    const text = (end: string): string => `export const a = 1;\nexport type { Context }${end}\n`;
    const given = (before: string, after: string): Case => ({
      head: { ...head, "src/index.ts": before },
      now: { "src/index.ts": after },
      facts: turned,
    });
    const cut = given(text(' from "./types"').replace("1", "2"), text(""));
    expect((await judge(cut)).flatMap(rulesOf)).toContain("loose-names");
    expect(await verdictsOf(cut)).not.toContain("safe");
    expect(await verdictsOf(given(text("").replace("1", "2"), text(' from "./types"')))).toEqual(["safe"]);
    const declared = `type Context = string;\n${text("")}`;
    expect(await verdictsOf(given(declared.replace("1", "2"), declared))).toEqual(["safe"]);
  });

  it("is silent on types beside no list: declared is given", async () => {
    expect(
      await verdictsOf(edit("export type A = 1;\n", "type B = 2;\nexport type A = 1;\n", "a.d.ts")),
    ).toEqual(["safe"]);
  });
});

describe("half-moved", () => {
  const text = "export const id = crypto.randomUUID();\nexport default { id };\n";

  it("speaks of a second copy among files that are all new", async () => {
    const given: Case = { head: {}, now: { "test/a.mjs": text, "test/a-core.mjs": text }, facts: turned };
    expect(await verdictsOf(given)).not.toContain("safe");
  });

  it("is silent on one text in two formats, which lie beside each other on purpose", async () => {
    const given: Case = {
      head: {},
      now: { "types/a.d.ts": "export type A = 1;\n", "types/a.d.mts": "export type A = 1;\n" },
      facts: turned,
    };
    expect(await verdictsOf(given)).toEqual(["safe", "safe"]);
  });

  it("speaks of a new file nothing names, where another change looks for one that is nowhere", async () => {
    const given: Case = {
      head: { "src/v4.js": "export const a = 1;\n" },
      now: {
        "src/native-core.js": text,
        "src/v4.js": 'import native from "./native.js";\nexport const a = native;\n',
      },
      facts: turned,
    };
    const groups = await judge(given);
    expect(rulesOf(groupOf(groups, "src/native-core.js"))).toContain("half-moved");
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it("speaks of a new file beside one that went and that an unchanged file still names", async () => {
    const head = {
      "index.js": 'exports.names = require("./rules/names");\n',
      "rules/names.js": "module.exports = 1;\n",
    };
    const moved = await judge({
      head,
      now: { "rules/names.js": null, "rules/names-core.js": text },
      facts: turned,
    });
    expect(rulesOf(groupOf(moved, "rules/names-core.js"))).toContain("half-moved");
    expect(moved.map(({ verdict }) => verdict)).not.toContain("safe");
    const beside = await judge({ head, now: { "rules/names-core.js": text }, facts: turned });
    expect(beside.map(({ verdict }) => verdict)).toEqual(["safe"]);
  });

  const taker = (from: string): string => `const { id } = require("${from}");\nexports.go = () => id;\n`;
  const given = "exports.id = 1;\n";

  it.each([
    ["in the same folder", "test/promise-core.js", "./promise-core"],
    ["in another, under its name", "util/promise.js", "../util/promise"],
  ])("speaks of a new file %s that some callers know, where one was left behind", async (_, path, name) => {
    const groups = await judge({
      head: { "test/a.js": "exports.go = 1;\n", "test/b.js": "exports.go = 1;\n" },
      now: { [path]: given, "test/a.js": taker(name), "test/b.js": taker("./promise") },
      facts: turned,
    });
    expect(rulesOf(groupOf(groups, path))).toContain("half-moved");
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it("speaks of a Python module that moved away from one of its callers", async () => {
    const groups = await judge({
      head: { "app/__init__.py": "", "app/b.py": "x = 1\n" },
      now: {
        "app/ids_core.py": "def make():\n    return 1\n",
        "app/b.py": "from .ids import make\n\nx = make()\n",
      },
      facts: turned,
    });
    expect(rulesOf(groupOf(groups, "app/ids_core.py"))).toContain("half-moved");
  });

  it("is silent where every caller knows the new file", async () => {
    const groups = await judge({
      head: { "test/a.js": "exports.go = 1;\n", "test/b.js": "exports.go = 1;\n" },
      now: {
        "test/promise-core.js": given,
        "test/a.js": taker("./promise-core"),
        "test/b.js": taker("./promise-core"),
      },
      facts: turned,
    });
    expect(groups.map(({ verdict }) => verdict)).toEqual(["safe"]);
  });

  const moved = (more: Case["head"], now: Case["now"] = {}): Case => ({
    head: { "lib/ids.js": given, "a.js": taker("./lib/ids"), ...more },
    now: { "lib/ids.js": null, "src/ids.js": given, "a.js": taker("./src/ids"), ...now },
    facts: DONE,
  });

  it.each([
    ["a list of files", { "files.json": '["lib/ids.js"]\n' }],
    ["a text", { "docs/about.md": "See lib/ids.js for more.\n" }],
    ["code that loads by name", { "load.js": 'exports.load = (at) => at("lib/ids.js");\n' }],
  ])("speaks of a moved file whose old path is left in %s", async (_, more) => {
    const groups = await judge(moved(more));
    expect(groups.map(({ verdict }) => verdict)).toEqual(["unknown"]);
    expect(groups.flatMap(rulesOf)).toContain("half-moved");
  });

  it("is silent on a move that nothing names by its old path, but a history or what moved with it", async () => {
    expect(await verdictsOf(moved({}))).toEqual(["safe"]);
    expect(await verdictsOf(moved({ "CHANGELOG.md": "# 1.0.0\n\nlib/ids.js came.\n" }))).toEqual(["safe"]);
  });
});

describe("missing-export", () => {
  it("knows the names that an assignment takes of a file, as it knows those of a declaration", async () => {
    const head = {
      "lexer.js": "exports.lex = 1;\n",
      "a.js": 'var lex;\n({ lex } = require("./lexer"));\nexports.a = lex;\n',
    };
    const cut: Case = {
      head,
      now: { "a.js": 'var next;\n({ next } = require("./lexer"));\nexports.a = next;\n' },
      facts: DONE,
    };
    expect((await judge(cut)).flatMap(rulesOf)).toContain("missing-export");
    const whole: Case = { head, now: { "a.js": `${head["a.js"]}exports.b = lex;\n` }, facts: DONE };
    expect(await verdictsOf(whole)).toEqual(["safe"]);
  });
});

describe("references across groups and in try", () => {
  it("a change that names what another change took away is one group with it, and risky (S4)", async () => {
    const file = `exports.File = class {\n${"  x = 1;\n".repeat(12)}};\n`;
    const given: Case = {
      head: { "lib/a.js": "exports.load = (name) => require('./' + name);\n", "lib/file.js": file },
      now: {
        "lib/a.js": "exports.load = () => require('./file').File;\n",
        "lib/file.js": null,
        "lib/file-core.js": file,
      },
      facts: turned,
    };
    const groups = await judge(given);
    expect(groups).toHaveLength(1);
    expect(groups[0]?.verdict).toBe("risky");
    expect(rulesOf(groups[0] as never)).toContain("missing-file");
  });

  const tried = (name: string): string =>
    `try {\n  require("./${name}");\n} catch (e) {\n  exports.e = e;\n}\n`;

  it("what is tried may be missing on purpose, but not once it was there, and is noted where no build makes it", async () => {
    const gone: Case = {
      head: { "a.js": tried("fast"), "fast.js": "exports.f = 1;\n", "b.js": "exports.b = 1;\n" },
      now: { "fast.js": null, "b.js": "exports.b = 2;\n" },
      facts: DONE,
    };
    expect((await judge(gone)).flatMap(rulesOf)).toContain("missing-file");
    const trying = (name: string): Case => edit("exports.a = 1;\n", `exports.a = 1;\n${tried(name)}`);
    expect(await verdictsOf(trying("addon"))).toEqual(["unknown"]);
    expect(await verdictsOf(trying("build/addon"))).toEqual(["safe"]);
  });
});

describe("unmet-operation", () => {
  const named = (paths: readonly string[], head: Case["head"]): Case => ({
    head: { "a.js": "exports.a = 1;\n", ...head },
    now: { "a.js": "exports.a = 2;\n" },
    facts: { ...DONE, operations: [{ ...ENDED, paths }] },
  });

  it("speaks of a file without an ending that was named and left, and not of a folder", async () => {
    expect(await verdictsOf(named(["a.js", "LICENSE"], { LICENSE: "MIT\n" }))).toEqual(["unknown"]);
    expect(await verdictsOf(named(["a.js", "LICENSE"], {}))).toEqual(["unknown"]);
    expect(await verdictsOf(named(["a.js", "lib"], { "lib/b.js": "exports.b = 1;\n" }))).toEqual(["safe"]);
  });
});

describe("rewrite", () => {
  const lock = (version: string): string =>
    `${JSON.stringify({ lockfileVersion: 3, packages: { "": { dependencies: { a: version } }, ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`node_modules/${version}-${at}`, {}])) } }, null, 2)}\n`;
  const manifest = (version: string): string => `${JSON.stringify({ dependencies: { a: version } })}\n`;

  it("is silent on a lockfile made anew that agrees with its manifest, and speaks of any other file", async () => {
    const given: Case = {
      head: { "package.json": manifest("^1.0.0"), "package-lock.json": lock("^1.0.0") },
      now: { "package.json": manifest("^1.1.0"), "package-lock.json": lock("^1.1.0") },
      facts: DONE,
    };
    expect(await verdictsOf(given)).toEqual(["safe"]);
    const data = edit(lock("^1.0.0"), lock("^1.1.0"), "data/a.json");
    expect((await judge(data)).flatMap(rulesOf)).toContain("rewrite");
  });
});
