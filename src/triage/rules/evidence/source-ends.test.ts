/** Ends of sources: what an edit leaves and what a cut leaves, side by side. Through the whole judge, rule open-end. */
import { describe, expect, it } from "vitest";
import { added, type Case, editedTo, judge, rulesOf } from "../../../../test/support/triage-facts.ts";
import { inWords } from "./source-ends.ts";

const edit = (before: string, after: string, path = "lib/a.js"): Case => editedTo(path, before, after);
const ABOUT = "// about it\n".repeat(10);
const method = (name: string, to = "exports"): string =>
  `${to}.${name} = (x) => {\n  return x + "${name}";\n};\n`;
const fn = (name: string, body = "return x;"): string => `function ${name}(x) {\n  ${body}\n}\n`;
const MAP = "//# sourceMappingURL=a.d.ts.map";

describe("the end of a source", () => {
  it.each([
    [
      "a new list of exports in place of a longer end",
      edit(
        `${ABOUT}const isIt = () => true;\n\nif (process.env.TESTED) {\n  module.exports = isIt;\n} else {\n  module.exports = isIt();\n}\n`,
        `${ABOUT}const isIt = () => true;\n\nexport default isIt();\n`,
      ),
    ],
    [
      "the same thing given, by another name of what gives it",
      edit(`${ABOUT}const utils = exports;\n${method("a", "utils")}`, `${ABOUT}${method("a")}`),
    ],
    [
      "a list of a module in place of what was set",
      edit(
        `${ABOUT}Object.defineProperty(exports, "__esModule", { value: true });\nexports.a = a;\n${fn("a")}`,
        `${ABOUT}${fn("a")}export { a };\n`,
      ),
    ],
    [
      "a new file's function that what is above it needs",
      added("lib/a.js", `module.exports = a;\n${fn("a", "return b(x);")}${fn("b")}`),
    ],
    [
      "a function below the old end, which is still there",
      edit(
        `${ABOUT}${fn("a")}module.exports = a;\n`,
        `${ABOUT}${fn("a", "return b(x);")}module.exports = a;\n${fn("b")}`,
      ),
    ],
    ["a list without an end of its line", added("lib/a.js", `${fn("a")}\nmodule.exports = a;`)],
    [
      "the mark that a compiler writes last",
      added("lib/a.d.ts", `export declare const a: string;\nexport declare const b: string;\n${MAP}`),
    ],
    [
      "a namespace whose types are used, above what is given",
      added(
        "a.d.ts",
        "declare function a(x: a.Options): void;\ndeclare namespace a {\n  interface Options {\n    b: 1;\n  }\n}\nexport = a;\n",
      ),
    ],
  ] as const)("is shown by %s: the finished work is safe", async (_, given) => {
    expect((await judge(given)).map(({ verdict }) => verdict)).toEqual(["safe"]);
  });

  it.each([
    [
      "a statement that another one followed, and that one is gone",
      edit(
        `${ABOUT}const a = 1;\nmodule.exports = a;\nmodule.exports.default = a;\n`,
        `${ABOUT}const a = 2;\nmodule.exports = a;\n`,
      ),
    ],
    [
      "one of several statements that look alike",
      edit(
        `${ABOUT}write(join(dir, "key"), 1);\nwrite(join(dir, "cert"), 1);\n`,
        `${ABOUT}write(join(dir, "key"), 2);\n`,
        "bin/a.js",
      ),
    ],
    [
      "a chain of calls without the semicolon that others have",
      edit(
        `${ABOUT}const all = list();\nmodule.exports = all\n  .filter(Boolean);\n`,
        `${ABOUT}const all = list();\nmodule.exports = (all || [])\n  .filter(Boolean)\n`,
      ),
    ],
    [
      "a comment about what is not there",
      edit(
        `${ABOUT}const a = 1;\nmodule.exports = a;\n`,
        `${ABOUT}const a = 2;\nmodule.exports = a;\n// For those who import it\n`,
      ),
    ],
    [
      "the first of what is given one by one, however large",
      added(
        "lib/icons.js",
        `${"// about\n".repeat(2)}${method("success").replace("return", `${"x += 1;\n  ".repeat(12)}return`)}`,
      ),
    ],
    [
      "a function that is most of a new file and needed by nothing above",
      added("lib/a.js", `exports.b = 1;\n${fn("c", "return c(x);")}${"// more\n".repeat(9)}`),
    ],
    [
      "a function where the old end is gone",
      edit(
        `${ABOUT}${fn("a")}${fn("b")}module.exports = a(b);\n`,
        `${ABOUT}exports.a = a;\n${fn("a", "return b(x);")}${fn("b")}`,
      ),
    ],
    [
      "a line of types without an end",
      edit("export const a: string;", 'export const a: import("b").Li', "lib/a.d.ts"),
    ],
    [
      "the mark of another file's map",
      added(
        "lib/a.d.ts",
        "export declare const a: string;\nexport declare const b: string;\n//# sourceMappingURL=a.d",
      ),
    ],
    ["a mark above which nothing is given", added("lib/a.d.ts", `declare const _default: string;\n${MAP}\n`)],
    ["one line of new types", added("lib/env.d.ts", "export var isThere: boolean;\n")],
    [
      "what a compiler writes first",
      added("lib/c.js", '"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n'),
    ],
    [
      "the import that compilers write below types, with a type less above it",
      edit(
        "export type A = Plugin;\nexport type B = 1;\nimport type { Plugin } from './plugin.js';\n",
        "export type A = Plugin | 1;\nimport type { Plugin } from './plugin.js';\n",
        "lib/a.d.ts",
      ),
    ],
    [
      "a default among types that are given one by one",
      added("lib/d.d.ts", "export const a: string;\ndeclare const d: string;\nexport default d;\n"),
    ],
    [
      "a function of types, below which types may stand",
      added("lib/b.d.ts", "export default function a(x: string): string;\n"),
    ],
  ] as const)("is not shown by %s: never safe on its agent's word (S3, T2)", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(rulesOf)).toContain("open-end");
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it.each([
    [
      "a type that is defined nowhere",
      "export declare function a(x: Callback<string>): void;\nexport { a as default };\n",
    ],
    ["a member of what is no namespace", "declare function a(x: a.Options): void;\nexport = a;\n"],
  ])("loose-names speaks of %s in new types", async (_, text) => {
    const groups = await judge(added("a.d.ts", text));
    expect(groups.flatMap(rulesOf)).toContain("loose-names");
  });

  it("loose-names is silent on types that every file has", async () => {
    const text =
      "declare function a(x: Partial<Record<string, Buffer>>): AsyncIterable<NodeJS.Timeout>;\nexport = a;\n";
    expect((await judge(added("a.d.ts", text))).map(({ verdict }) => verdict)).toEqual(["safe"]);
  });
});

describe("a statement in words", () => {
  it.each([
    ["FunctionDeclaration main", "function main"],
    ["function_item main", "function main"],
    ["export TSInterfaceDeclaration Shape", "export interface Shape"],
    ["ExportAllDeclaration ./a.js", "export all ./a.js"],
    ["ExpressionStatement", "a statement"],
    ["call console.log done", "call console.log done"],
    ["set exports.a", "set exports.a"],
    ["", ""],
  ])("%s is %s: nobody reads a parser's names", (statement, words) => {
    expect(inWords(statement)).toBe(words);
  });
});
