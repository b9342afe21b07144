/** Forty groups as people leave them: languages that are followed, only parsed and not parsed at all; kinds of work; who saw its end. */
import type { TriageFacts } from "../../src/triage/facts/known/triage-facts.ts";
import { type Case, COMPLETED, DONE, EXITED, WRITTEN } from "../support/triage-facts.ts";

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");
const jsFile = (name: string): string =>
  `import { read } from "./read.js";\n\nexport function ${name}(path) {\n  const text = read(path);\n  return text.length;\n}\n\nexport const kind = "${name}";\n`;
const NODE = {
  "package.json": '{\n  "type": "module",\n  "scripts": { "typecheck": "tsc", "test": "vitest" }\n}\n',
};
const READ = { "src/read.js": "export const read = (path) => path.trim();\n" };
const GO = { "go.mod": "module example.org/work\n\ngo 1.22\n" };
const CUT_OFF: Partial<TriageFacts> = {
  turns: [{ ...COMPLETED, outcome: "interrupted", endedBy: "exit" }],
};
const OPEN: Partial<TriageFacts> = {
  operations: [{ ...DONE.operations[0], label: "move the parser", state: "open", endedSeq: null }],
};
const saying = (text: string): Partial<TriageFacts> => ({
  turns: [COMPLETED],
  said: [{ seq: 39, channel: "messages", text }],
});
const edited = (path: string, from: string, to: string, facts: Partial<TriageFacts>, more = {}): Case => ({
  head: { ...more, [path]: from },
  now: { [path]: to },
  facts,
});
const callOf = (path: string, command: string | null, isOpen: boolean): Case => ({
  head: { [path]: lines(12, "row") },
  now: { [path]: `${lines(12, "row")}${lines(2, "more")}` },
  writes: { [path]: [{ ...WRITTEN, call: "c1" }] },
  facts: {
    calls: [
      {
        ...{ id: "c1", tool: command === null ? "edit_file" : "bash", command, startedSeq: 9 },
        ...{ endedSeq: isOpen ? null : 21, outcome: isOpen ? "none" : "failed", paths: [], mayWrite: true },
      },
    ],
  },
});

export const FORTY: Readonly<Record<string, Case>> = {
  "an operation that never ended": edited("src/a.js", jsFile("one"), jsFile("two"), OPEN, {
    ...NODE,
    ...READ,
  }),
  "a call without a result": callOf("data/rows.csv", null, true),
  "a secret": edited(
    "src/key.js",
    "export const key = 1;\n",
    `export const key = "ghp_${"a1B2".repeat(9)}";\n`,
    DONE,
    NODE,
  ),
  "the check's own rules": edited(
    "refloat.json",
    '{ "verify": "npm test" }\n',
    '{ "verify": "true" }\n',
    DONE,
  ),
  "conflict markers": edited(
    "notes.md",
    "# Notes\n",
    "# Notes\n<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> other\n",
    DONE,
  ),
  "JavaScript that does not parse": edited(
    "src/a.js",
    jsFile("one"),
    jsFile("one").replace("{\n  const", "{{\n  const"),
    DONE,
    { ...NODE, ...READ },
  ),
  "Go that does not parse": edited(
    "a.go",
    "package a\n\nfunc F() int {\n\treturn 1\n}\n",
    "package a\n\nfunc F() int {\n\treturn 1\n",
    DONE,
    GO,
  ),
  "JSON cut off": edited("data/a.json", '{\n  "a": [1, 2, 3],\n  "b": 2\n}\n', '{\n  "a": [1, 2', CUT_OFF),
  "a file emptied": edited("src/a.py", "def f():\n    return 1\n", "", CUT_OFF),
  "TypeScript whose import is nowhere": edited(
    "src/a.ts",
    "export const a = 1;\n",
    'import { b } from "./b.js";\n\nexport const a = b + 1;\n',
    DONE,
    NODE,
  ),
  "Python that wants a name its module has not": edited(
    "pkg/use.py",
    "X = 1\n",
    "from pkg.tools import halve\n\nX = halve(2)\n",
    DONE,
    { "pkg/__init__.py": "", "pkg/tools.py": "def double(n):\n    return n * 2\n" },
  ),
  "Go whose package lost a name": {
    head: {
      ...GO,
      "p/a.go": "package p\n\nfunc Old() int {\n\treturn 1\n}\n",
      "p/b.go": "package p\n\nfunc B() int {\n\treturn Old()\n}\n",
    },
    now: { "p/a.go": "package p\n\nfunc New() int {\n\treturn 1\n}\n" },
    facts: DONE,
  },
  "Rust whose module lost an item": {
    head: {
      "Cargo.toml": '[package]\nname = "work"\n',
      "src/lib.rs": "pub mod a;\npub mod b;\n",
      "src/a.rs": "pub fn old() -> i32 {\n    1\n}\n",
      "src/b.rs": "use crate::a::old;\n\npub fn b() -> i32 {\n    old()\n}\n",
    },
    now: { "src/a.rs": "pub fn new() -> i32 {\n    1\n}\n" },
    facts: DONE,
  },
  "a call with too few arguments": {
    head: {
      ...NODE,
      "src/f.ts": "export function f(a: number): number {\n  return a;\n}\n",
      "src/g.ts": 'import { f } from "./f.js";\n\nexport const g = f(1);\n',
    },
    now: { "src/f.ts": "export function f(a: number, b: number): number {\n  return a + b;\n}\n" },
    facts: DONE,
  },
  "a link where a file was": {
    head: { "conf/a.txt": "a\n" },
    now: { "conf/a.txt": { link: "../b.txt" } },
    facts: DONE,
  },
  "a file that became executable": {
    head: { "bin/run": "#!/bin/sh\n" },
    now: { "bin/run": { text: "#!/bin/sh\n", mode: 0o755 } },
    facts: DONE,
  },
  "a file that is gone": {
    head: { "src/a.js": "export const a = 1;\n", ...NODE },
    now: { "src/a.js": null },
    facts: DONE,
  },
  "a version that went down": edited(
    "package.json",
    '{ "dependencies": { "zod": "^4.1.0" } }\n',
    '{ "dependencies": { "zod": "^3.2.0" } }\n',
    DONE,
  ),
  "half a copy": callOf("vendor/rows.csv", "cp -r ../template/. vendor/", false),
  "most of a page lost": edited("README.md", lines(30, "About it, line"), lines(6, "About it, line"), DONE),
  "a workflow of CI": edited(".github/workflows/ci.yml", "on: push\n", "on: [push, pull_request]\n", DONE),
  "a picture replaced": {
    head: { "logo.png": new Uint8Array([137, 80, 0, 1]) },
    now: { "logo.png": new Uint8Array([137, 80, 0, 2, 3]) },
    facts: DONE,
  },
  "last words in English": edited(
    "src/a.js",
    jsFile("one"),
    jsFile("two"),
    saying("Two callers are renamed. Stopping here for now."),
    { ...NODE, ...READ },
  ),
  "last words in Japanese": edited(
    "src/a.js",
    jsFile("one"),
    jsFile("two"),
    saying("名前を変えました。残りのテストはまだ書いていません。"),
    { ...NODE, ...READ },
  ),
  "an open plan": edited(
    "src/a.js",
    jsFile("one"),
    jsFile("two"),
    { turns: [COMPLETED], plans: [{ seq: 30, left: 2, named: ["wire it in", "write the test"] }] },
    { ...NODE, ...READ },
  ),
  "code, and an exit code alone": edited(
    "src/a.js",
    jsFile("one"),
    jsFile("two"),
    { turns: [EXITED] },
    { ...NODE, ...READ },
  ),
  "code whose agent was cut off": edited("pkg/a.py", "A = 1\nB = 2\n", "A = 3\nB = 2\n", CUT_OFF, {
    "pyproject.toml": "[tool.mypy]\n",
  }),
  "Java, said to be done": edited(
    "src/A.java",
    `class A {\n  int f() {\n    return 1;\n  }\n${lines(8, "  // about")}}\n`,
    `class A {\n  int f() {\n    return 2;\n  }\n${lines(8, "  // about")}}\n`,
    DONE,
    { "pom.xml": "<project/>\n" },
  ),
  "C, said to be done": edited(
    "a.c",
    `int f(void) {\n  return 1;\n}\n`,
    `int f(void) {\n  return 2;\n}\n`,
    DONE,
    { Makefile: "check: all\n\t./a\n" },
  ),
  "Ruby of an agent that was cut off": edited("lib/a.rb", "A = 1\n", "A = 2\n", CUT_OFF, {
    Gemfile: "",
    "spec/a_spec.rb": "",
  }),
  "HTML, said to be done": edited("index.html", "<p>one</p>\n", "<p>two</p>\n", DONE, NODE),
  "SQL, said to be done, and no project around it": edited("db/a.sql", "SELECT 1;\n", "SELECT 2;\n", DONE),
  "a Dockerfile": edited("Dockerfile", "FROM node:20\n", "FROM node:22\n", DONE),
  "a page that may go on": edited(
    "docs/guide.md",
    lines(20, "About it, line"),
    `${lines(18, "About it, line")}and then\n`,
    DONE,
  ),
  "a function that is yet to be written": edited(
    "src/a.js",
    jsFile("one"),
    jsFile("one").replace("return text.length;", "// TODO: implement\n  return null;"),
    DONE,
    { ...NODE, ...READ },
  ),
  "names that nothing defines": edited(
    "src/a.js",
    jsFile("one"),
    jsFile("one").replace("text.length", "measured(text)"),
    DONE,
    { ...NODE, ...READ },
  ),
  "a new module that nothing uses": {
    head: NODE,
    now: { "src/lonely.js": `${lines(8, "// about")}export function lonely(x) {\n  return x;\n}\n` },
    facts: DONE,
  },
  "a package that nothing declares": edited(
    "src/a.js",
    "export const a = 1;\n",
    'import ky from "ky";\n\nexport const a = ky;\n',
    DONE,
    NODE,
  ),
  "a journal that grew": edited("journal/log.md", "one\n", "one\ntwo\n", CUT_OFF),
  "TypeScript, done and sound": edited(
    "src/t.ts",
    `export const t = 1;\n${lines(9, "// about")}`,
    `export const t = 2;\n${lines(9, "// about")}`,
    DONE,
    NODE,
  ),
};
