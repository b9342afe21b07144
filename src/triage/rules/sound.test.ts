/** What makes work safe, and every note that keeps it from being so: on both sides. */
import { describe, expect, it } from "vitest";
import { type Case, COMPLETED, ENDED, groupOf, judge, rulesOf } from "../../../test/support/triage-facts.ts";
import { NO_PATH_RULES } from "../facts/paths/path-rules.ts";
import { NOTE_RULES, SAFE_RULES } from "./table.ts";

const done = { operations: [ENDED], turns: [COMPLETED] };
const text = (count: number): string => Array.from({ length: count }, (_, at) => `Line ${at}.\n`).join("");
const body = (names: readonly string[]): string =>
  names
    .map((name) => `function ${name}(x) {\n  const y = x * 2;\n  return y + ${name.length};\n}\n`)
    .join("\n");
const module = (names: readonly string[]): string =>
  `${body(names)}\nmodule.exports = { ${names.join(", ")} };\n`;
const LONG_BODY = "this.all = x.map((one) => one.name).filter((name) => name !== '');\n".repeat(4);
const edit = (before: string, after: string, path = "src/a.js", more: Partial<Case> = {}): Case => ({
  head: { [path]: before },
  now: { [path]: after },
  facts: done,
  ...more,
});

const NOTES: Readonly<Record<string, { fires: Record<string, Case>; silent: Record<string, Case> }>> = {
  unfinished: {
    fires: {
      "a word that the rest stays": edit(
        module(["f", "g"]),
        module(["f", "g"]).replace("return y", "// ... rest of the code\n  return y"),
      ),
      "a body that only throws": edit(
        "exports.f = (x) => x;\n",
        'exports.f = (x) => x;\nexports.g = function g(x) {\n  throw new Error("not implemented");\n};\n',
      ),
      "a function that is called where it stands and does nothing": edit(
        "exports.f = 1;\n",
        "const all = (function () {\n  return null;\n}());\nexports.f = all;\n",
      ),
      "a new file that gives one function which does nothing": {
        head: {},
        now: { "src/settings.js": "module.exports = function () {\n  return null;\n};\n" },
        facts: done,
      },
      "a new file none of whose functions does anything, given or not": {
        head: {},
        now: { "src/a.js": "export default {\n  parse: {\n    one() {},\n    two() {}\n  }\n};\n" },
        facts: done,
      },
      "a function that takes something and does nothing": edit(
        "exports.f = 1;\n",
        "exports.f = f;\nfunction f(x) {}\n",
      ),
      "a function that had a body and only returns nothing": edit(
        "exports.f = f;\nfunction f() {\n  return new RegExp(exports.pattern.source, 'gu');\n}\n",
        "exports.f = f;\nfunction f() {\n  return null;\n}\n",
      ),
      "a function of which little is left": edit(
        `exports.f = function f(x) {\n${LONG_BODY}};\n`,
        "exports.f = function f(x) {\n  return x.all;\n};\n",
      ),
      "a constructor of which little is left": edit(
        `exports.A = class A {\n  constructor(x) {\n${LONG_BODY}  }\n};\n`,
        "exports.A = class A {\n  constructor(x) {\n    this.x = x;\n  }\n};\n",
      ),
      "what is called back and no longer does anything": edit(
        'exports.rule = make("a", (_, file) => {\n  file.message(1);\n});\n',
        'exports.rule = make({ origin: "a" }, (_, file) => {});\n'.replace("make", "exports.make"),
      ),
      "a new test without tests": {
        head: {},
        now: { "test/a.test.js": 'describe("a", function () {\n  return null;\n});\n' },
        facts: done,
      },
      "a new file none of whose functions does anything": {
        head: {},
        now: { "src/index.js": "module.exports = (x) => {};\n" },
        facts: done,
      },
      "an export announced and never set": edit("exports.a = 1;\n", "exports.a = 1;\nexports.b = void 0;\n"),
      "Python that passes": edit("x = 1\n", "def f(a):\n    pass\n", "a.py"),
    },
    silent: {
      "a function that became shorter": edit(
        `exports.f = function f(x) {\n${LONG_BODY}};\n`,
        "exports.f = function f(x) {\n  this.all = x.filter(Boolean);\n  return this.all;\n};\n",
      ),
      "a function of a name that every object has, new": edit(
        `exports.f = function f(x) {\n${LONG_BODY}};\n`,
        `exports.f = function f(x) {\n${LONG_BODY}};\nexports.f.toString = function toString() {\n  return "f of x";\n};\n`,
      ),
      "a TODO that was there": edit("// TODO\nexports.a = 1;\n", "// TODO\nexports.a = 2;\n"),
      "one more that is called back and does nothing": edit(
        "exports.f = (x) => {\n  x.on(1, (y) => {\n    y.end();\n  });\n};\n",
        "exports.f = (x) => {\n  x.on(1, (y) => {\n    y.end();\n  });\n  x.on(2, (z) => {});\n};\n",
      ),
      "a new file that does nothing for nobody": {
        head: {},
        now: { "src/empty.js": "module.exports = () => {};\n" },
        facts: done,
      },
      "one function that does nothing, as its file's name says": {
        head: {},
        now: { "src/noop.js": "export default function () {}\n" },
        facts: done,
      },
      "a function that is called where it stands and does something": edit(
        "exports.f = 1;\n",
        "const all = (function () {\n  return global;\n}());\nexports.f = all;\n",
      ),
      "does nothing on purpose": edit("exports.f = 1;\n", "exports.f = noop;\nfunction noop(x) {}\n"),
      "a line that a program made, whatever is said in it": edit(
        "exports.f = [1];\n",
        `exports.f = [${"1, ".repeat(400)}"http://...", 2];\n`,
      ),
    },
  },
  "loose-names": {
    fires: {
      "a name defined nowhere": edit("exports.f = 1;\n", "exports.f = helper(1);\n"),
      "a type defined nowhere, also inside of a namespace": edit(
        "export namespace N {\n  export interface A {\n    a?: string;\n  }\n}\n",
        "export namespace N {\n  export interface A {\n    a?: Word;\n  }\n}\n",
        "a.ts",
      ),
      "a type that only looks like a browser's": edit(
        "export interface A {\n  a?: string;\n}\n",
        "export interface A {\n  a?: HTMLAttributeWord;\n}\n",
        "a.ts",
      ),
      "an import nothing uses": edit(
        "export const a = 1;\n",
        'import fs from "node:fs";\nexport const a = 1;\n',
      ),
      "Python: an import nothing uses": edit("a = 1\n", "import os\na = 1\n", "a.py"),
    },
    silent: {
      "known by the language, Node or a browser": edit(
        "exports.f = 1;\n",
        "exports.f = () => [Buffer, URL, document, HTMLDivElement, IDBKeyRange];\n",
      ),
      "asked whether it is there": edit("exports.f = 1;\n", 'exports.f = typeof Zone === "undefined";\n'),
      "a type": edit(
        "export const a = 1;\n",
        "export const a: Partial<Foo> = 1 as never;\ninterface Foo {}\n",
        "a.ts",
      ),
    },
  },
  "unseen-name": {
    fires: {
      "a member of a function that does not mention it": {
        head: {
          "b.js": "module.exports = make;\nfunction make() {}\nmake.a = 1;\n",
          "a.js": 'const b = require("./b");\nb.a();\n',
        },
        now: { "a.js": 'const b = require("./b");\nb.a();\nb.next();\n' },
        facts: done,
      },
      "a file that it came to try and that is not there": edit(
        "exports.a = 1;\n",
        'exports.a = 1;\ntry {\n  require("./fill");\n} catch (e) {\n  exports.a = e;\n}\n',
      ),
      "a file that it named before, when it was not there either": edit(
        'exports.a = require("./made");\nexports.b = 1;\n',
        'exports.a = require("./made");\nexports.b = 2;\n',
      ),
      "types of a source beside which there are none": {
        head: { "a.js": "exports.a = 1;\n", "a.d.ts": "export declare const a: number;\n" },
        now: {
          "theme.js": "exports.Theme = class {};\n",
          "a.d.ts": 'import { Theme } from "./theme";\nexport declare const a: Theme;\n',
        },
        facts: done,
      },
    },
    silent: {
      "types of a source whose types are there, and of one that is typed itself": {
        head: { "a.d.ts": "export declare const a: number;\n", "b.ts": "export type B = 1;\n" },
        now: {
          "theme.js": "exports.Theme = class {};\n",
          "theme.d.ts": "export declare class Theme {\n}\n",
          "a.d.ts":
            'import { Theme } from "./theme";\nimport { B } from "./b.js";\nexport declare const a: Theme | B;\n',
        },
        facts: done,
      },
      "what a build leaves, named before and not there either": edit(
        'exports.a = require("./dist/made");\nexports.b = 1;\n',
        'exports.a = require("./dist/made");\nexports.b = 2;\n',
      ),
      "what a build leaves, if it is there": edit(
        "exports.a = 1;\nexports.b = 2;\n",
        'exports.a = 1;\ntry {\n  exports.a = require("./build/Release/a.node");\n} catch (e) {\n  exports.a = e;\n}\nexports.b = 2;\n',
      ),
      "one that it mentions, and what every function has": {
        head: {
          "b.js": "module.exports = make;\nfunction make() {}\nmake.a = 1;\n",
          "a.js": 'const b = require("./b");\nb();\n',
        },
        now: { "a.js": 'const b = require("./b");\nb();\nb.a.call(b.bind(null));\n' },
        facts: done,
      },
    },
  },
  // The whole of it is in rules-arguments.test.ts.
  "doubtful-arguments": {
    fires: {
      "a parameter came that is used, and the caller was left": {
        head: {
          "a.js": 'const { b } = require("./b");\nb(1);\n',
          "b.js": "exports.b = (x) => x;\nexports.c = 1;\n",
        },
        now: { "b.js": "exports.b = (x, y) => x + y;\nexports.c = 1;\n" },
        facts: done,
      },
    },
    silent: {
      "one that has a stand-in": {
        head: {
          "a.js": 'const { b } = require("./b");\nb(1);\n',
          "b.js": "exports.b = (x) => x;\nexports.c = 1;\n",
        },
        now: { "b.js": "exports.b = (x, y) => x + (y || 0);\nexports.c = 1;\n" },
        facts: done,
      },
    },
  },
  "unseen-call": {
    fires: {
      "a method that nothing has": {
        head: { "b.js": "exports.make = () => ({ a: 1 });\n", "a.js": "exports.f = 1;\n" },
        now: { "a.js": 'const { make } = require("./b");\nexports.f = () => make().next_();\n' },
        facts: done,
      },
    },
    silent: {
      "one that its file mentions": {
        head: { "b.js": "exports.make = () => ({ next_: () => 1 });\n", "a.js": "exports.f = 1;\n" },
        now: { "a.js": 'const { make } = require("./b");\nexports.f = () => make().next_();\n' },
        facts: done,
      },
    },
  },
  "open-end": {
    fires: {
      "another last statement": edit(body(["a", "b", "c"]), body(["a", "b", "d"])),
      "its end lost": edit(module(["a", "b", "c", "d"]), body(["a", "b", "c", "d"]).trim().concat("\n")),
      "prose that lost its last lines": edit(text(30), text(25), "README.md"),
      "a new file that could go on": { head: {}, now: { "docs/a.md": text(20) }, facts: done },
    },
    silent: {
      "an edit in the middle": edit(
        module(["a", "b", "c"]),
        module(["a", "b", "c"]).replace("x * 2", "x * 3"),
      ),
      "a new file with its list of exports": {
        head: {},
        now: { "src/index.js": module(["a", "b", "c"]) },
        facts: done,
      },
      "a short file": edit("Version 1.\n", "Version 2.\n", "VERSION.md"),
    },
  },
  "half-moved": {
    fires: {
      "a copy of what is still there": {
        head: { "src/a.js": module(["a", "b", "c"]) },
        now: { "lib/a.js": module(["a", "b", "c"]).replace("x * 2", "x * 4") },
        facts: done,
      },
      "a file that became the entry of a folder of its name": {
        head: { "src/a.js": module(["a", "b", "c"]) },
        now: { "src/a/index.js": module(["a", "b", "c"]).replace("x * 2", "x * 4") },
        facts: done,
      },
    },
    silent: {
      "two builds of one source": {
        head: {
          "es/a.js": module(["a", "b"]),
          "es/b.js": module(["c", "d"]),
          "cjs/a.js": module(["a", "b"]),
          "cjs/b.js": module(["c", "d"]),
          "es/c.js": module(["e", "f"]),
        },
        now: { "cjs/c.js": module(["e", "f"]), "cjs/a.js": `require("./c");\n${module(["a", "b"])}` },
        facts: done,
      },
      "another file": {
        head: { "src/a.js": module(["a", "b"]) },
        now: { "src/index.js": module(["y", "z"]) },
        facts: done,
      },
    },
  },
  "unused-file": {
    fires: {
      "a new file nothing uses": { head: {}, now: { "src/a.js": module(["a", "b", "c"]) }, facts: done },
    },
    silent: {
      "one that is taken": {
        head: { "src/b.js": "exports.go = () => 1;\n" },
        now: {
          "src/a.js": module(["a", "b", "c"]),
          "src/b.js": 'const { a } = require("./a");\nexports.go = () => a(1);\n',
        },
        facts: done,
      },
      "the main of a package": {
        head: { "package.json": '{"main":"lib/a.js"}' },
        now: { "lib/a.js": module(["a", "b", "c"]) },
        facts: done,
      },
      "a short one": { head: {}, now: { "src/a.js": "exports.a = 1;\n" }, facts: done },
    },
  },
  "undeclared-package": {
    fires: {
      "a package nobody named": {
        head: { "package.json": '{"dependencies":{"a":"1"}}', "x.js": "exports.x = 1;\n" },
        now: { "x.js": 'exports.x = require("b");\n' },
        facts: done,
      },
      "a module beside it that never came": {
        head: { "server.py": "PORT = 1\n" },
        now: { "server.py": "from simpleopenid import OpenID\n\nID = OpenID(1)\nPORT = 1\n" },
        facts: done,
      },
    },
    silent: {
      "one that is Python's own": {
        head: { "server.py": "PORT = 1\n" },
        now: { "server.py": "import json\n\nSIZE = json.loads('1')\nPORT = 1\n" },
        facts: done,
      },
      "one that is named": {
        head: { "package.json": '{"dependencies":{"a":"1"}}', "x.js": "exports.x = 1;\n" },
        now: { "x.js": 'exports.x = require("a/sub");\nexports.fs = require("fs");\n' },
        facts: done,
      },
    },
  },
  "not-looked-into": {
    fires: {
      "a file nested deeper than its parser goes": edit(
        '{"a": 1}\n',
        `${"[".repeat(9000)}\n`,
        "state/queue.json",
        {
          facts: done,
        },
      ),
      "one that was": edit(`${"[".repeat(9000)}\n`, '{"a": 1}\n', "data.json", { facts: done }),
      "one that only a process of its own may parse": edit(
        "exports.a = 1;\n",
        `exports.a = ${"[".repeat(10_000)}${"]".repeat(10_000)};\n`,
        "src/a.js",
        { facts: done },
      ),
    },
    silent: {
      "a file that parses": edit('{"a": 1}\n', '{"a": [2]}\n', "state/queue.json", { facts: done }),
    },
  },
  "hidden-from-git": {
    fires: {
      "a file with skip-worktree": edit("exports.a = 1;\n", "exports.a = 2;\n", "src/a.js", {
        facts: done,
        hidden: { "src/a.js": "skip-worktree" },
      }),
      "prose with assume-unchanged": edit("One.\n", "Two.\n", "notes.md", {
        facts: done,
        hidden: { "notes.md": "assume-unchanged" },
      }),
    },
    silent: {
      "a file git looks at": edit("exports.a = 1;\n", "exports.a = 2;\n", "src/a.js", { facts: done }),
    },
  },
  "unmet-operation": {
    fires: {
      "a file it named and left": edit("exports.a = 1;\n", "exports.a = 2;\n", "src/a.js", {
        facts: { ...done, operations: [{ ...ENDED, paths: ["src/a.js", "src/b.js"] }] },
      }),
      "a file here, where one of its name elsewhere changed": edit(
        "exports.a = 1;\n",
        "exports.a = 2;\n",
        "src/a.js",
        { facts: { ...done, operations: [{ ...ENDED, paths: ["src/a.js", "a.js"] }] } },
      ),
      "what it named is nowhere": edit("exports.a = 1;\n", "exports.a = 2;\n", "src/a.js", {
        facts: { ...done, operations: [{ ...ENDED, paths: ["src/a.js", "license"] }] },
      }),
    },
    silent: {
      "a name without a folder, wherever it lies": edit(
        "exports.a = 1;\n",
        "exports.a = 2;\n",
        "lib/src/a.js",
        {
          facts: { ...done, operations: [{ ...ENDED, paths: ["lib/src/a.js", "src", "./"] }] },
        },
      ),
      "a glob promises nothing": edit("exports.a = 1;\n", "exports.a = 2;\n", "src/a.js", {
        facts: { ...done, operations: [{ ...ENDED, paths: ["src/a.js", "test/**"] }] },
      }),
    },
  },
};

describe("notes", () => {
  it("have a case on both sides, each of them", () => {
    // Those about the word, the check and a workflow's records: rules-witness, rules-verify and workflow-records.test.ts.
    // And migrations.test.ts and python-halves.test.ts.
    const elsewhere = [
      "check-failed",
      "describes-unready",
      "no-evidence",
      "open-plan",
      "unmigrated-model",
      "unmodelled-migration",
      "work-remains",
    ];
    expect([...Object.keys(NOTES), ...elsewhere].sort()).toEqual(NOTE_RULES.map(({ slug }) => slug).sort());
  });

  for (const [slug, { fires, silent }] of Object.entries(NOTES)) {
    it.each(Object.keys(fires))(
      `${slug} speaks: %s; the work is never safe on its agent's word (S3, T2)`,
      async (name) => {
        const groups = await judge(fires[name] as Case);
        expect(groups.flatMap(rulesOf)).toContain(slug);
        expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
      },
    );
    it.each(Object.keys(silent))(`${slug} is silent: %s; the finished work is safe`, async (name) => {
      const groups = await judge(silent[name] as Case);
      expect(groups.flatMap(rulesOf)).not.toContain(slug);
      expect(groups.map(({ verdict }) => verdict)).toEqual(["safe"]);
    });
  }
});

describe("closed and sound", () => {
  const work: Case = {
    head: {
      "src/a.js": module(["a", "b"]),
      "src/b.js": 'const { a } = require("./a");\nexports.go = () => a(1);\n',
    },
    now: {
      "src/a.js": module(["a", "b", "c"]),
      "src/b.js": 'const { a, c } = require("./a");\nexports.go = () => a(1) + c(2);\n',
    },
  };

  it("is safe when the operation ended after the last change", async () => {
    const [group, ...more] = await judge({ ...work, facts: { operations: [ENDED] } });
    expect(more).toEqual([]);
    expect(group?.verdict).toBe("safe");
    expect(group && rulesOf(group)).toEqual(["closed-and-sound"]);
  });

  it("is safe when, without an operation, the turn completed", async () => {
    const groups = await judge({ ...work, facts: { turns: [COMPLETED] } });
    expect(groups.map(({ verdict }) => verdict)).toEqual(["safe"]);
  });

  it.each([
    ["nothing said it was done", {}],
    ["the turn was interrupted", { turns: [{ ...COMPLETED, outcome: "interrupted" as const }] }],
    ["the turn is open", { turns: [{ ...COMPLETED, outcome: null, endedSeq: null }] }],
    ["the operation ended before the last change", { operations: [{ ...ENDED, endedSeq: 12 }] }],
    ["the turn completed before the last change", { turns: [{ ...COMPLETED, endedSeq: 15 }] }],
  ])("is never safe when %s (S3)", async (_, facts) => {
    const groups = await judge({ ...work, facts });
    expect(groups.map(({ verdict }) => verdict)).toEqual(["unknown"]);
  });

  it.each(["before", "other", "after", "unknown"] as const)(
    "is never said of work whose owner is %s (W5)",
    async (owner) => {
      const groups = await judge({ ...work, owner, facts: done });
      expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
    },
  );

  it("is never said when nobody saw the change being made", async () => {
    const groups = await judge({ ...work, writes: { "src/a.js": [], "src/b.js": [] }, facts: done });
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it.each([
    ["a language with no reference check", "a.rb", "class A\nend\n", "class A\n  def f\n  end\nend\n"],
    ["a language with no parser", "a.swift", "a\n", "b\n"],
    ["a file nobody knows", "a.dat", "a\n", "b\n"],
    ["a file that did not parse and still does not", "a.js", "f(\n", "g(\n"],
  ])("is never said of %s", async (_, path, before, after) => {
    const groups = await judge(edit(before, after, path));
    expect(groups.map(({ verdict }) => verdict)).toEqual(["unknown"]);
  });

  it("is never said across a gap (W4)", async () => {
    const gaps = [{ path: "src/a.js" as never, reason: "too large" }];
    const groups = await judge({ ...work, facts: { ...done, gaps } });
    expect(groups.map(({ verdict }) => verdict)).toEqual(["unknown"]);
    expect(rulesOf(groups[0] as never)).toContain("gap");
  });

  it("is never said when who refers to a lost name could not be looked for", async () => {
    const facts = {
      ...done,
      head: { list: async () => [], read: async () => null, mentioning: async () => null },
    };
    const groups = await judge({ ...edit("exports.a = 1;\nexports.b = 2;\n", "exports.b = 2;\n"), facts });
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });
});

describe("evidence that needs no word of the agent", () => {
  it("covers every safe rule", () => {
    expect(SAFE_RULES.map(({ slug }) => slug).sort()).toEqual([
      "append-only",
      "closed-and-sound",
      "record-update",
      "verified",
    ]);
  });

  it.each([
    ["lines appended to a journal", edit("a\n", "a\nb\n", "journal/a.md", { facts: {} }), "safe"],
    ["a new journal", { head: {}, now: { "journal/2026/a.md": "a\n" } }, "safe"],
    ["a log of a hidden folder", { head: {}, now: { ".agent/a.log": "a\n" } }, "safe"],
    ["a heading in a journal", edit("a\n", "a\nToday\n=======\nb\n", "journal/a.md", { facts: {} }), "safe"],
    ["data in a journal", { head: {}, now: { "journal/a.json": '{"a":1}\n' } }, "safe"],
    ["a dotfile among journals", { head: {}, now: { "journal/.envrc": "rm -rf x\n" } }, "unknown"],
    ["a hidden folder among journals", { head: {}, now: { "journal/.x/a": "rm -rf x\n" } }, "unknown"],
    ["a hidden log", { head: {}, now: { ".hidden.log": "a\n" } }, "unknown"],
    [
      "a manifest among journals",
      { head: {}, now: { "journal/package.json": '{"scripts":{"postinstall":"x"}}\n' } },
      "unknown",
    ],
    ["a change inside a journal", edit("a\nb\n", "x\nb\n", "journal/a.md", { facts: {} }), "unknown"],
    ["a last line that is not whole", edit("a\n", "a\nhal", "journal/a.md", { facts: {} }), "risky"],
    [
      "source code in a journal folder",
      edit("a = 1\n", "a = 1\nb = 2\n", "journal/a.py", { facts: {} }),
      "unknown",
    ],
    [
      "source code under a glob of the user's",
      edit("a = 1\n", "a = 1\nb = 2\n", "notes/a.py", {
        facts: { pathRules: { ...NO_PATH_RULES, journal: ["notes/**"] } },
      }),
      "unknown",
    ],
    [
      "prose under a glob of the user's",
      edit("a\n", "a\nb\n", "notes/a.md", {
        facts: { pathRules: { ...NO_PATH_RULES, journal: ["notes/**"] } },
      }),
      "safe",
    ],
    ["JSON lines with a torn one", edit('{"a":1}\n', '{"a":1}\n{"a":\n', "x.jsonl", { facts: {} }), "risky"],
    [
      "a queue updated",
      edit("- [ ] a\n- [ ] b\n", "- [x] a\n- [ ] b\n", "state/queue.md", { facts: {} }),
      "safe",
    ],
    ["a queue shrunk by half", edit(text(9), text(3), "state/queue.md", { facts: {} }), "unknown"],
    [
      "a task file that no longer parses",
      edit("a: 1\n", "a: [\n", "state/queue.yaml", { facts: {} }),
      "risky",
    ],
  ] as const)("%s: %s", async (_, given, verdict) => {
    expect((await judge(given as Case)).map((group) => group.verdict)).toEqual([verdict]);
  });
});

describe("the user's word", () => {
  const given = edit("a\n", "b\n", "Makefile", { facts: {} });

  it("an override counts for these bytes and no others", async () => {
    const [group] = await judge(given);
    const fact = group?.changes[0];
    const key = `file 644 ${fact?.change.to?.hash}`;
    const override = {
      path: "Makefile" as never,
      stateKey: key,
      verdict: "safe",
      reason: "read it",
      by: "me",
    } as const;
    expect((await judge({ ...given, facts: { overrides: [override] } }))[0]?.verdict).toBe("safe");
    const other = { ...given, now: { Makefile: "c\n" }, facts: { overrides: [override] } };
    expect((await judge(other))[0]?.verdict).toBe("risky");
  });

  it("never makes safe what may still be written, or what is not held (W4, S2)", async () => {
    const [group] = await judge(given);
    const key = `file 644 ${group?.changes[0]?.change.to?.hash}`;
    const overrides = [
      { path: "Makefile" as never, stateKey: key, verdict: "safe", reason: "r", by: "me" } as const,
    ];
    const moving = { paths: "all", why: "a process of the session lives" } as const;
    expect((await judge({ ...given, facts: { overrides, moving } }))[0]?.verdict).toBe("unknown");
    const gaps = [{ path: "Makefile" as never, reason: "moving" }];
    expect((await judge({ ...given, facts: { overrides, gaps } }))[0]?.verdict).toBe("risky");
  });

  it("a path rule keeps paths from being safe, or switches a risky rule off, and never makes anything safe (S3)", async () => {
    const rules = (more: object) => ({
      facts: { pathRules: { ...NO_PATH_RULES, rules: [{ paths: ["Makefile"], ...more }] } },
    });
    expect((await judge({ ...given, ...rules({ off: ["config"] }) }))[0]?.verdict).toBe("unknown");
    const journal = edit("a\n", "a\nb\n", "journal/a.md");
    const kept = {
      pathRules: { ...NO_PATH_RULES, rules: [{ paths: ["journal/**"], verdict: "unknown" as const }] },
    };
    expect((await judge({ ...journal, facts: kept }))[0]?.verdict).toBe("unknown");
    const never = {
      pathRules: { ...NO_PATH_RULES, rules: [{ paths: ["journal/**"], verdict: "risky" as const }] },
    };
    expect((await judge({ ...journal, facts: never }))[0]?.verdict).toBe("risky");
  });
});

describe("groups", () => {
  const paths = (groups: Awaited<ReturnType<typeof judge>>): string[][] =>
    groups.map(({ changes }) => changes.map(({ change }) => change.path));

  it.each([
    [
      "imports between changed files",
      {
        head: { "a.js": "", "b.js": "exports.b = 1;\n" },
        now: { "a.js": 'require("./b");\n', "b.js": "exports.b = 2;\n" },
      },
      1,
    ],
    [
      "a source and its test",
      {
        head: { "src/a.py": "", "tests/test_a.py": "" },
        now: { "src/a.py": "x = 1\n", "tests/test_a.py": "y = 1\n" },
      },
      1,
    ],
    [
      "sources of one name, each with its test beside it",
      {
        head: {},
        now: Object.fromEntries(
          ["p", "q"].flatMap((folder) =>
            ["a", "a_test"].map((name) => [`${folder}/${name}.go`, `package ${folder}\n`]),
          ),
        ),
      },
      2,
    ],
    [
      "a model and the migration that came for it",
      {
        head: { "app/models.py": "", "app/migrations/0001.py": "" },
        now: {
          "app/models.py":
            "from django.db import models\n\n\nclass A(models.Model):\n    b = models.TextField()\n",
          "app/migrations/0002.py": "x = 1\n",
        },
      },
      1,
    ],
    [
      "a manifest and its lockfile",
      {
        head: { "Cargo.toml": "", "Cargo.lock": "" },
        now: { "Cargo.toml": "a = 1\n", "Cargo.lock": "b = 1\n" },
      },
      1,
    ],
    [
      "nothing in common",
      { head: { "a.md": "a\n", "b.md": "b\n" }, now: { "a.md": "x\n", "b.md": "y\n" } },
      2,
    ],
  ] as const)("%s: %i", async (_, given, count) => {
    expect(paths(await judge(given as Case))).toHaveLength(count);
  });

  it("one call's changes stay together, but an append to a journal stands alone", async () => {
    const writes = [{ fromSeq: 1, toSeq: 2, call: "c1" }];
    const groups = await judge({
      head: { "a.md": "a\n", "b.md": "b\n", "journal/x.md": "x\n" },
      now: { "a.md": "aa\n", "b.md": "bb\n", "journal/x.md": "x\ny\n" },
      writes: { "a.md": writes, "b.md": writes, "journal/x.md": writes },
    });
    expect(paths(groups)).toEqual([["a.md", "b.md"], ["journal/x.md"]]);
  });

  it("never join what different owners own (W5)", async () => {
    const groups = await judge({
      head: { "a.js": "", "b.js": "exports.b = 1;\n" },
      now: { "a.js": 'require("./b");\n', "b.js": "exports.b = 2;\n" },
      owners: { "b.js": "other" },
    });
    expect(paths(groups)).toHaveLength(2);
  });

  it("one bad member makes the whole group risky (S4)", async () => {
    const groups = await judge({
      head: { "a.js": "", "b.js": "exports.b = 1;\n" },
      now: { "a.js": 'require("./b");\n', "b.js": "exports.b = (;\n" },
      facts: done,
    });
    expect(groupOf(groups, "a.js").verdict).toBe("risky");
  });
});
