/** Callers without what they call: by scope, by member, by method. On both sides. */
import { describe, expect, it } from "vitest";
import { type Case, COMPLETED, ENDED, judge, rulesOf } from "../../../test/support/triage-facts.ts";

const done = { operations: [ENDED], turns: [COMPLETED] };
const B = "exports.b = () => 1;\nexports.B = 1;\n";
/** A script beside one that gives `b` and `B`. */
const caller = (text: string, callee = B): Case => ({
  head: { "a.js": "exports.a = 1;\n", "b.js": callee },
  now: { "a.js": text },
  facts: done,
});

const BOX =
  "class Box {\n  constructor(side) {\n    this.side = side;\n  }\n  area() {\n    return this.side * this.side;\n  }\n}\nmodule.exports = { Box };\n";
const user = (body: string, head = "return 0;"): Case => ({
  head: {
    "box.js": BOX,
    "a.js": `const { Box } = require("./box");\nexports.f = (box) => {\n  ${head}\n};\n`,
  },
  now: { "a.js": `const { Box } = require("./box");\nexports.f = (box) => {\n  ${body}\n};\n` },
  facts: done,
});

describe("a caller wants a name that its file does not give", () => {
  it.each([
    [
      "where a parameter elsewhere has the module's name",
      caller('const b = require("./b");\nb.c();\nexports.f = (b) => b.any();\n'),
    ],
    [
      "of one of two modules that two functions take by the same name",
      {
        head: { "a.js": "exports.a = 1;\n", "b.js": B, "c.js": "exports.c = () => 1;\n" },
        now: {
          "a.js":
            'exports.f = () => {\n  const x = require("./b");\n  return x.b();\n};\nexports.g = () => {\n  const x = require("./c");\n  return x.b();\n};\n',
        },
      },
    ],
    [
      "before another declaration takes the module's name over",
      caller('var B = require("./b"),\n  c = B.c,\n  B = B.B;\nB.any(c);\n'),
    ],
    ["taken out of what was taken whole", caller('const b = require("./b");\nconst { c } = b;\nc();\n')],
    [
      "that is needed where another is not there",
      caller('const b = require("./b");\nexports.f = (x) => x || b.c;\n'),
    ],
    [
      "of a module that is awaited",
      caller('const { c } = await import("./b.js");\nc();\n', "export const b = 1;\n"),
    ],
    [
      "of a module that a compiler wrapped",
      caller(
        'var b = _interopRequireWildcard(require("./b"));\n(0, b.c)();\nfunction _interopRequireWildcard(x) {\n  return x;\n}\n',
      ),
    ],
  ] as const)("%s: the group is risky, never safe (S3)", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(rulesOf)).toContain("missing-export");
    expect(groups.map(({ verdict }) => verdict)).toEqual(["risky"]);
  });

  it.each([
    [
      "a member of a parameter, a variable or a part that has a module's name",
      'const b = require("./b");\nb.b();\nexports.f = (b) => b.c();\nfunction g() {\n  if (g.x) {\n    var b = g.y;\n  }\n  return b.d;\n}\nexports.g = g;\nfor (const b of [g]) b.e();\nclass K {\n  m({ b }) {\n    return b.h;\n  }\n}\nexports.K = K;\n',
    ],
    ["a member of what took a module's name over", 'var B = require("./b"),\n  B = B.B;\nB.any();\n'],
    [
      "a member that is asked for, or has a stand-in",
      'const b = require("./b");\nconst { c = 1 } = b;\nexports.f = [b.d || c, typeof b.e, b?.f];\n',
    ],
    ["what is there, awaited", 'const { b, B } = await import("./b");\nexports.f = [b, B];\n'],
  ])("not so: %s", async (_, text) => {
    expect((await judge(caller(text))).flatMap(rulesOf)).not.toContain("missing-export");
  });
});

describe("an unchanged caller names a file that went", () => {
  const head = { "index.js": 'exports.all = require("./names");\n', "names.js": "module.exports = [1];\n" };
  it("and is led to another that always lay there: risky, never safe (S3)", async () => {
    const groups = await judge({
      head: { ...head, "names.json": "[1]\n" },
      now: { "names.js": null, "names-core.js": "module.exports = [1];\n" },
      facts: done,
    });
    expect(groups.map(({ verdict }) => verdict)).toEqual(["risky"]);
    expect(groups.flatMap(rulesOf)).toContain("missing-file");
  });

  it.each([
    ["in an unchanged file", {}],
    ["in one that changed, too", { "index.js": 'exports.all = require("./names");\nexports.more = 1;\n' }],
  ])("and is led to the source it was made of, which changed, too, %s: risky (S3)", async (_, more) => {
    const groups = await judge({
      head: { ...head, "names.ts": "export default [1];\n" },
      now: {
        "names.js": null,
        "names.ts": "export default [1, 2];\n",
        "names-core.js": "module.exports = [1];\n",
        ...more,
      },
      facts: done,
    });
    expect(groups.map(({ verdict }) => verdict)).toEqual(["risky"]);
    expect(groups.flatMap(rulesOf)).toContain("missing-file");
  });

  it("not so: and is led to what came in its place", async () => {
    const given: Case = {
      head,
      now: { "names.js": null, "names/index.js": "module.exports = [1];\n" },
      facts: done,
    };
    expect((await judge(given)).flatMap(rulesOf)).not.toContain("missing-file");
  });
});

describe("a Python caller wants a name that its module does not give", () => {
  const head = {
    "b.py": "def b():\n    return 1\n",
    "pkg/__init__.py": "",
    "pkg/c.py": "def c():\n    return 1\n",
    "pkg/a.py": "x = 1\n",
    "a.py": "x = 1\n",
  };
  const python = (text: string, path = "a.py"): Case => ({ head, now: { [path]: text }, facts: done });

  it.each([
    ["of a module", python("import b\n\nx = b.next_b()\n")],
    ["of a module under another name", python("import pkg.c as m\n\nx = m.next_c()\n")],
    ["of a module by its dotted name", python("import pkg.c\n\nx = pkg.c.next_c()\n")],
    ["of a module of a package", python("from pkg import c\n\nx = c.next_c()\n")],
    ["of a module beside it", python("from . import c\n\nx = c.next_c()\n", "pkg/a.py")],
  ] as const)("%s: the group is risky, never safe (S3)", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(rulesOf)).toContain("missing-export");
    expect(groups.map(({ verdict }) => verdict)).toEqual(["risky"]);
  });

  it.each([
    [
      "what is there",
      "import b\nfrom pkg import c\nimport pkg.c as m\n\nx = [b.b(), c.c, m.c, m.__name__]\n",
    ],
    ["a package from elsewhere", "import yaml\nfrom os import path\n\nx = [yaml.load, path.join]\n"],
    ["a member of a class that a module gives", "from pkg.c import c\n\nx = c.any()\n"],
    ["a parameter of a module's name", "import b\n\nx = b.b()\n\n\ndef f(b):\n    return b.any()\n"],
    ["a folder of a package", "import pkg\n\nx = pkg.c\n"],
  ])("not so: %s", async (_, text) => {
    expect((await judge(python(text))).flatMap(rulesOf)).not.toContain("missing-export");
  });
});

describe("a caller wants a method that nothing has", () => {
  it.each([
    ["of an instance it makes", user("const one = new Box(box);\n  return one.volume();")],
    ["of what it is handed", user("return box.volume();")],
    ["of what may not be there", user("return box?.volume();")],
    ["of a member of what it is handed", user("return box.inner.volume();")],
    ["of what a method gives", user("return new Box(box).area().volume();")],
    [
      "that was its own and was moved to where it is not yet",
      {
        head: {
          "box.js": BOX,
          "a.js":
            'const { Box } = require("./box");\nexports.a = { volume: () => 1, Box };\nexports.a.volume();\n',
        },
        now: {
          "a.js": 'const { Box } = require("./box");\nexports.a = { Box };\nexports.f = (x) => x.volume();\n',
        },
        facts: done,
      },
    ],
    [
      "that another changed file only calls, too",
      {
        head: { "box.js": BOX, "a.js": "exports.a = 1;\n", "c.js": "exports.c = 1;\n" },
        now: {
          "a.js": 'const { Box } = require("./box");\nexports.f = () => new Box(1).volume();\n',
          "c.js": 'const { Box } = require("./box");\nexports.g = () => new Box(2).volume();\n',
        },
        facts: done,
      },
    ],
  ] as const)("%s: never safe on its agent's word (S3, T2)", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(rulesOf)).toContain("unseen-call");
    const unseen = groups.flatMap(({ reasons }) => reasons.filter(({ rule }) => rule === "unseen-call"));
    // Where, what, and that it is not there: on the screen, not only in the evidence.
    for (const { message } of unseen)
      expect(message).toMatch(/^\S+:\d+ calls \.\w+\(\)(?: and \d+ more)?, which nothing here has\.$/);
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it.each([
    ["one that is there", user("return new Box(box).area();")],
    [
      "one that every array, stream or element has",
      user("return [box.flatMap(f), box.pipe(f), box.querySelector(f)];"),
    ],
    ["one that it called before", user("return box.volume(1);", "return box.volume();")],
    ["one that is only asked for", user("return box.volume?.();")],
    [
      "one of a package, of what a package gave, of what a package calls back with",
      {
        ...user(""),
        now: {
          "a.js":
            'const { Box } = require("./box");\nconst ts = require("typescript");\nconst made = ts.make(Box);\nexports.f = () => [made.rare(), ts.rarer(), ts.each((one) => one.rarest())];\n',
        },
      },
    ],
    [
      "one that a class inherits from a package",
      {
        ...user(""),
        now: {
          "a.js":
            'const { Box } = require("./box");\nconst { Base } = require("base");\nexports.A = class extends Base {\n  f() {\n    return this.rare(Box);\n  }\n};\n',
        },
      },
    ],
    [
      "one that came with it in another file",
      {
        ...user(""),
        now: {
          "a.js": 'const { Box } = require("./box");\nexports.f = () => new Box(1).volume();\n',
          "box.js": BOX.replace("  area() {", "  volume() {\n    return this.side ** 3;\n  }\n  area() {"),
        },
      },
    ],
    [
      "one of a file that takes nothing of the workspace",
      {
        head: { "a.js": "exports.a = 1;\n" },
        now: { "a.js": "exports.f = (x) => x.rare();\n" },
        facts: done,
      },
    ],
  ] as const)("not so: %s", async (_, given) => {
    expect((await judge(given)).flatMap(rulesOf)).not.toContain("unseen-call");
  });
});
