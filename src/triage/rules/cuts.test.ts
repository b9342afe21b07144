/** Cuts that looked whole, found by cutting every changed file of known packages at every line; each beside finished work. */
import { describe, expect, it } from "vitest";
import { added, type Case, COMPLETED, editedTo, judge, rulesOf } from "../../../test/support/triage-facts.ts";

const turned = { turns: [COMPLETED] };
const edit = (before: string, after: string, path = "src/a.js"): Case => editedTo(path, before, after);

const about = "Some words about it, in a line.\n".repeat(12);
const page = `${about}Made by somebody\n`;
const apache =
  "In no event shall any Contributor be liable, even if such Contributor has been advised of the possibility of such damages.\n";
const both = (first: string): string => `${first}\nmodule.exports.sync = () => {\n  return 1;\n};\n`;
const helped = "module.exports = run;\n\nfunction run(x) {\n  return low(x) + x.map((low) => low + 1);\n}\n";
const low = "\nfunction low(x) {\n  return x;\n}\n";

const CUT: readonly (readonly [string, Case])[] = [
  [
    "a chain of calls without semicolons, and its last call gone",
    edit(
      "module.exports = (cb) => start\n  .then(cb)\n  .catch(later)\n",
      "module.exports = (cb) => start.now\n  .then(cb)\n",
    ),
  ],
  ["a text that ends inside of its code", added("docs/a.md", "```sh\n$ run it\n")],
  ["an edited text that ends inside of its code", edit(page, `\`\`\`\n${page}`, "docs/a.md")],
  ["a section with nothing in it", added("a.toml", "[install]\n")],
  ["data that is all comments", added("a.yml", "# what this is\n")],
  ["a licence cut after a clause that another one ends with", added("LICENSE", `${apache.repeat(4)}`)],
  [
    "the last item of a list edited, below which more may be missing",
    edit(`${about}- first of all\n`, `${about}- first of everything\n`, "docs/a.md"),
  ],
  [
    "the last row of a table edited",
    edit(`${about}| option | what it does |\n`, `${about}| option | what it did |\n`, "docs/a.md"),
  ],
  [
    "the definition a text ended with is gone, and it was not needed",
    edit(`${page}\n[1]: http://a\n[2]: http://b\n`, `More.\n${page}\n[1]: http://a\n`, "docs/a.md"),
  ],
  [
    "markup that came where a whole part went",
    edit(
      `${about}\n## Related\n\nThis one here.\nThat one there.\n`,
      `${about}\n<a href="b">\nSee the other\n</a>\n`,
      "README.md",
    ),
  ],
  [
    "what compilers write first, in lines",
    added("lib/a.js", 'Object.defineProperty(exports, "__esModule", {\n  value: true\n});\n'),
  ],
  [
    "what compilers write first, in short",
    added("lib/a.js", '"use strict";\n\nexports.__esModule = true;\n'),
  ],
  ["nothing but a directive where there was a module", edit("export {};\n", '"use strict";\n')],
  [
    "what was given beside the one thing, and is not set on it as a module",
    edit(both("module.exports = () => 1;"), "export default function run() {\n  return 1;\n}\n"),
  ],
  [
    "another name for the thing whose member stood last, and the thing itself given to nobody",
    edit(
      "const plug = () => 1;\nconst undo = () => 2;\nmodule.exports = plug;\nmodule.exports.undo = undo;\n",
      "const plug = () => 1;\nconst undo = () => 2;\nplug.undo = undo;\n",
    ),
  ],
  [
    "a function that went from below the one that needs it",
    edit(`${helped}${low}`, helped.replace("+ 1", "+ 2")),
  ],
  [
    "a short file that lost the statement it ended with",
    edit("set(1);\nset(2);\nset.width = 80;\n", "put(1);\nput(2);\n", "test/a.js"),
  ],
  ["new lines that hand on what others give", handedOn({}, 2)],
  [
    "lines more that hand on what others give",
    handedOn({ "lib/index.js": 'exports.z = require("./z");\n' }, 2),
  ],
  [
    "a test named after what it tests, of which there are more",
    added(
      "test/test-run.js",
      "const a = require('assert');\n\nexports.testRun = function (test) {\n  a(test);\n  test.done();\n};\n",
    ),
  ],
  [
    "a test given by a text",
    added("test/a.js", `exports ['one thing'] = function (test) {\n${"  test.ok(1);\n".repeat(9)}}\n`),
  ],
  [
    "a type that has the name of the file",
    added("lib/plugin.ts", "// about\nexport interface Plugin {\n  input: string[];\n  output: string;\n}\n"),
  ],
  [
    "the first function of a row of types",
    added("types/check.d.ts", "export function check(x: string): boolean;\n"),
  ],
  [
    "types without the mark they ended with",
    edit("export type A = 1;\nexport {};\n", "export type A = 2;\n", "a.d.ts"),
  ],
  [
    "the last lines of Python, which nothing closes",
    edit("def f(x):\n    a = x\n    return a\n", "def f(x):\n    a = x + 1\n    b = a\n", "src/a.py"),
  ],
];

const WHOLE: readonly (readonly [string, Case])[] = [
  [
    "the definition a text ended with gone with its only use",
    edit(
      `See [it][2] there.\n${page}\n[1]: http://a\n[2]: http://b\n`,
      `See it there.\n${page}\n[1]: http://a\n`,
      "docs/a.md",
    ),
  ],
  ["a comment in a module of nothing", edit("// one\nexport {};\n", "// two\nexport {};\n")],
  [
    "types whose last one has a comment above the mark",
    edit("export type A = 1; // one\n\nexport {};\n", "export type A = 2; // two\n\nexport {};\n", "a.d.ts"),
  ],
  ["a text whose code is closed", added("docs/a.md", "```sh\n$ run it\n```\n")],
  [
    "a section with something in it",
    edit('[install]\nregistry = "a"\n', '[install]\nregistry = "b"\n', "a.toml"),
  ],
  [
    "the last line edited, of a paragraph",
    edit(`${about}Made by one\n`, `${about}Made by two\n`, "docs/a.md"),
  ],
  [
    "what was given beside the one thing, set on it as a module",
    edit(
      both("module.exports = () => 1;"),
      `${both("const run = () => 1;").replace("module.exports.sync", "run.sync")}export default run;\n`,
    ),
  ],
  [
    "a function below the one that needs it, edited",
    edit(`${helped}${low}`, `${helped.replace("+ 1", "+ 2")}${low}`),
  ],
  [
    "types with the mark they ended with",
    edit("export type A = 1;\nexport {};\n", "export type A = 2;\nexport {};\n", "a.d.ts"),
  ],
  [
    "Python whose last lines are the ones it had",
    edit("def f(x):\n    a = x\n    return a\n", "def f(x):\n    a = x + 1\n    return a\n", "src/a.py"),
  ],
  [
    "the one function a file is named after",
    added("lib/run.js", "// about\nexport function run(x) {\n  const y = x;\n  return y;\n}\n"),
  ],
];

function handedOn(head: Record<string, string>, count: number): Case {
  const names = ["a", "b", "c", "z"];
  const files = Object.fromEntries(names.map((name) => [`lib/${name}.js`, `exports.${name} = 1;\n`]));
  const lines = names.slice(0, count).map((name) => `exports.${name} = require("./${name}");\n`);
  return {
    head: { ...files, ...head },
    now: { "lib/index.js": `${head["lib/index.js"] ?? ""}${lines.join("")}` },
    facts: turned,
  };
}

describe("open-end, at every line", () => {
  it.each(CUT)("speaks: %s; the work is never safe on its agent's word", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(rulesOf)).toContain("open-end");
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it.each(WHOLE)("is silent: %s; the finished work is safe", async (_, given) => {
    expect((await judge(given)).map(({ verdict }) => verdict)).toEqual(["safe"]);
  });
});
