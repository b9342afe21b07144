/** Finished work whose end is shown by something, and every cut of it at a line, which is never safe (S3, T2). */
import { describe, expect, it } from "vitest";
import { type Case, DONE, groupOf, judge, type Tree } from "../../../../test/support/triage-facts.ts";

const ABOUT = "// about it\n".repeat(10);
const SENTENCES = ["one", "two", "three", "four", "five", "six"]
  .map((word) => `A sentence about ${word}.\n`)
  .join("\n");
const page = (...parts: string[]): string => `# A thing\n\n${SENTENCES}\n${parts.join("\n")}`;
const USE = "## Use\n\nIt is used by those who need it most.\n";
const LICENSE = "## License\n\nMIT\n";
const DEFINED = "[a]: https://example.org/a\n[b]: https://example.org/b\n";
const fn = (name: string, body = "return x;"): string => `function ${name}(x) {\n  ${body}\n}\n`;

interface Whole {
  readonly path: string;
  readonly head: Tree;
  readonly now: Readonly<Record<string, string>>;
}
const text = (before: string | null, after: string, path = "README.md"): Whole => ({
  path,
  head: before === null ? {} : { [path]: before },
  now: { [path]: after },
});

const WHOLE: readonly (readonly [string, Whole])[] = [
  ["the last section of a page, and more above it", text(page(LICENSE), page(USE, LICENSE))],
  [
    "a last section with another line in its code",
    text(
      page("## Use\n\n```js\nuse(it);\nand(it.again);\n```\n"),
      page("## Use\n\n```js\nuse(it);\nuse(them);\nand(it.again);\n```\n"),
    ),
  ],
  [
    "a last paragraph with other words before its last ones",
    text(
      page("## Notes\n\nYou can get at this\nin any plugin after `a-thing`.\n"),
      page("## Notes\n\nEverybody can get at all of this\nin any plugin that is run after `a-thing`.\n"),
    ),
  ],
  [
    "labels between two comments, all of them defined",
    text(
      page("See [a][a] and [b][b].\n", LICENSE, DEFINED),
      page(
        "See [a][a] and [b][b].\n",
        LICENSE,
        `<!-- ignore-start -->\n${DEFINED}<!-- ignore-end -->\n`,
      ).replace("five", "5"),
    ),
  ],
  [
    "the definition a page ended with, and another paragraph above it",
    text(
      page("See [a][a] and [b][b].\n", LICENSE, DEFINED),
      page("See [a][a] and [b][b].\n", "## License\n\nMIT\n\nIt began as another thing.\n", DEFINED),
    ),
  ],
  [
    "the line a page ended with, under another number",
    text(
      page("Use things 1.\n", "(things@1.2.3)\n"),
      page("Use things 1.\nUse things 2.\n", "(things@1.3.0)\n"),
    ),
  ],
  [
    "the one line of a last section, in other words",
    text(
      page("A thing is all of it.\n", "## Docs\nRead **[all of it](https://example.org/thing)** there.\n"),
      page("A thing is more of it.\n", "## Docs\nRead all of it **[here](https://example.org/thing)**.\n"),
    ),
  ],
  [
    "a program without an ending that node runs",
    text(
      `#!/usr/bin/env node\n${ABOUT}const os = require("node:os");\n\nconsole.log(os.cpus());\n`,
      `#!/usr/bin/env node\n${ABOUT}const os = require("node:os");\n\nif (process.argv.length > 2) {\n  console.error("too many");\n}\n\nconsole.log(os.cpus());\n`,
      "bin/cpus",
    ),
  ],
  [
    "a new history back to its first entry",
    text(
      null,
      "# Changes\n\n## [1.1.0] - 2020\n\n- A thing was mended.\n\n## [1.0.0] - 2019\n\n- Initial release.\n\n[1.1.0]: https://example.org/2\n[1.0.0]: https://example.org/1\n",
      "CHANGELOG.md",
    ),
  ],
  [
    "a history back to its first entry, and below it what its entries link to",
    text(
      "# Changes\n\n## 1.1.0\n\n- A thing was mended ([#7]).\n\n## 1.0.0\n\n- Initial release.\n\n[#7]: https://example.org/7\n",
      "# Changes\n\n## 1.2.0\n\n- Another thing was mended ([#7]).\n\n## 1.1.0\n\n- A thing was mended ([#7]).\n\n## 1.0.0\n\n- Initial release.\n\n[#7]: https://example.org/7\n",
      "CHANGELOG.md",
    ),
  ],
  [
    "a constant that what is above it needs",
    text(null, `export ${fn("a", "return by(x);")}\nconst by = (x) => {\n  return x * 2;\n};\n`, "lib/a.js"),
  ],
  [
    "types that go through the names of others",
    text(
      `${ABOUT}declare const a: string;\nexport = a;\n`,
      `${ABOUT}declare const a: All<{ b: 1 }>;\ntype All<T> = { [K in keyof T]: T[K] };\nexport = a;\n`,
      "lib/a.d.ts",
    ),
  ],
];

/** Whole, and nothing in them shows it: only whoever was there can say so. */
const SEEN: readonly (readonly [string, Whole])[] = [
  [
    "types that give all that the source beside them gives and speaks of",
    {
      path: "a.d.ts",
      head: { "a.js": `${ABOUT}module.exports = (x) => x;\n` },
      now: {
        "a.js": `${ABOUT}/** @import {Node} from 'things' */\n/** @typedef {{b: string}} Options */\n/** @type {(x: Node, o: Options) => Node} */\nexport const a = (x) => x;\n`,
        "a.d.ts": `export const a: (x: Node, o: Options) => Node;\nexport type Options = {\n  b: string;\n};\nimport type { Node } from 'things';\n`,
      },
    },
  ],
  [
    "a source that gives all that the types beside it say",
    {
      path: "a.js",
      head: { "a.js": `${ABOUT}module.exports = (x) => x;\n` },
      now: {
        "a.js": `${ABOUT}/** @type {(x: string) => string} */\nexport const a = (x) => x;\n\nexport function b(x) {\n  return a(x);\n}\n`,
        "a.d.ts": "export const a: (x: string) => string;\nexport function b(x: string): string;\n",
      },
    },
  ],
  [
    "a new program that ends by exiting",
    text(
      null,
      `#!/usr/bin/env node\nconst run = require("node:os");\n\nprocess.exit(run.cpus() ? 0 : 1);\n`,
      "run.js",
    ),
  ],
  [
    "the short statement it ended with, now shorter",
    text(
      `${ABOUT}const path = require("node:path");\n\nmodule.exports = function (x) {\n  return path.resolve(x) === "";\n};\n`,
      `${ABOUT}const path = require("node:path");\n\nmodule.exports = (x) => path.resolve(x) === "";\n`,
      "lib/a.js",
    ),
  ],
  [
    "a test that cleans up",
    text(
      null,
      `${ABOUT}const test = require("node:test");\n${"test('a', (t) => t.ok(1));\n".repeat(9)}test('cleanup', (t) => {\n  t.end();\n});\n`,
      "test/a.js",
    ),
  ],
];

const caseOf = ({ head, now }: Whole): Case => ({ head, now, facts: DONE });
const verdictOf = async (whole: Whole): Promise<string> =>
  groupOf(await judge(caseOf(whole)), whole.path).verdict;

describe("an end that something shows", () => {
  it.each(WHOLE)("%s: the finished work is safe", async (_, whole) => {
    expect(await verdictOf(whole)).toBe("safe");
  });

  it.each(SEEN)(
    "%s: the finished work is safe where its operation's capture saw it, and not on a word (S3)",
    async (_, whole) => {
      const seenAtEnds = Object.fromEntries(Object.keys(whole.now).map((path) => [path, ["op"]]));
      const seen = await judge({ ...caseOf(whole), seenAtEnds });
      expect(groupOf(seen, whole.path).verdict).toBe("safe");
      expect(await verdictOf(whole)).toBe("unknown");
    },
  );

  it.each([...WHOLE, ...SEEN])(
    "%s: no cut of it at a line is safe on its agent's word (S3, T2)",
    async (_, whole) => {
      const lines = (whole.now[whole.path] ?? "").split("\n");
      for (let at = 1; at < lines.length; at++) {
        if (lines.slice(at).every((line) => line.trim() === "")) break;
        const cut = `${lines.slice(0, at).join("\n")}\n`;
        if (cut === whole.head[whole.path]) continue;
        const verdict = await verdictOf({ ...whole, now: { ...whole.now, [whole.path]: cut } });
        expect(`${verdict} after line ${at}`).not.toMatch(/^safe/);
      }
    },
  );
});

describe("a last line without its end", () => {
  const before = `${ABOUT}const x = 1;\n\nmodule.exports = (y) => {\n  return x + y;\n};\n`;
  const after = `${ABOUT}const x = 2;\n\nmodule.exports = (y) => {\n  return x + y;\n};`;

  it("is whole where the statement is the one it ended with, and at no earlier byte (S3)", async () => {
    expect(await verdictOf(text(before, after, "lib/a.js"))).toBe("safe");
    for (let at = ABOUT.length + 1; at < after.length; at++)
      expect(`${await verdictOf(text(before, after.slice(0, at), "lib/a.js"))} at ${at}`).not.toMatch(
        /^safe/,
      );
  });

  it("is whole where a compiler's mark is, and not where that is cut (S3)", async () => {
    const types = `${ABOUT}export const a: string;\n`;
    const marked = `${types.replace("string", "number")}//# sourceMappingURL=a.d.ts.map`;
    expect(await verdictOf(text(types, marked, "lib/a.d.ts"))).toBe("safe");
    expect(await verdictOf(text(types, marked.slice(0, -1), "lib/a.d.ts"))).not.toBe("safe");
  });
});

describe("a function that went and is still called", () => {
  it("is seen, also where a parameter elsewhere has its name (S3)", async () => {
    const gone = text(
      `module.exports = a;\n${ABOUT}${fn("a", "return b([x].map((s) => s));")}${fn("b", "return s(x);")}${fn("s")}`,
      `module.exports = a;\n${ABOUT}${fn("a", "return b([x, 1].map((s) => s));")}${fn("b", "return s(x);")}`,
      "lib/a.js",
    );
    expect(await verdictOf(gone)).not.toBe("safe");
  });
});

describe("a source beside types that it says nothing of", () => {
  it("does not vouch for them: another way to call the same function may be missing (S3)", async () => {
    const way = (more: string): string => `export default function a(x: string${more}): string;\n`;
    const head = {
      "a.js": `${ABOUT}module.exports = (x) => x;\n`,
      "a.d.ts": `${ABOUT}declare function a(x: string): string;\n\nexport = a;\n`,
    };
    const now = { "a.js": `${ABOUT}export default function a(x) {\n  return x;\n}\n` };
    const cut: Whole = { path: "a.d.ts", head, now: { ...now, "a.d.ts": `${ABOUT}${way(", y: number")}` } };
    expect(await verdictOf(cut)).not.toBe("safe");
  });
});

describe("a source beside no types", () => {
  it("does not vouch for itself: one of several lines that hand on is never safe (S3)", async () => {
    const from = (...names: string[]): string =>
      names.map((n) => `export { ${n} } from './${n}.js';\n`).join("");
    const files = Object.fromEntries(["a", "b", "c"].map((n) => [`${n}.ts`, `export const ${n} = 1;\n`]));
    const cut: Whole = {
      path: "index.ts",
      head: { ...files, "index.ts": from("a", "b").replaceAll(".js", "") },
      now: { "index.ts": from("c") },
    };
    expect(await verdictOf(cut)).not.toBe("safe");
  });
});
