/** Manifests that name what is not there, on both sides. */
import { describe, expect, it } from "vitest";
import { type Case, DONE, judge, rulesOf, type Tree } from "../../../test/support/triage-facts.ts";

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const NPM = { name: "a", version: "1.0.0" };
const SOURCE = { "src/a.js": "exports.a = 1;\n" };

/** A package.json that came to say more. */
const npm = (more: object, head: Tree = {}, now: Case["now"] = {}): Case => ({
  head: { "package.json": json(NPM), ...SOURCE, ...head },
  now: { "package.json": json({ ...NPM, ...more }), ...now },
  facts: DONE,
});

const toml = (path: string, before: string, after: string, head: Tree = {}): Case => ({
  head: { [path]: before, "pkg/__init__.py": "", "src/main.rs": "fn main() {}\n", ...head },
  now: { [path]: after },
  facts: DONE,
});
const PY = '[project]\nname = "a"\n';
const RUST = '[package]\nname = "a"\n';

describe("a manifest names what is not there: the group is not sound, never safe (S3)", () => {
  it.each([
    ["main beside it", npm({ main: "index.js" })],
    ["a program", npm({ bin: { a: "cli.js" } })],
    ["a program in a folder that is not there", npm({ bin: "./bin/a.js" })],
    ["one of its exports", npm({ exports: { ".": "./src/a.js", "./b": "./src/b.js" } })],
    ["what it means by a name of its own", npm({ imports: { "#b": "./src/b.js" } })],
    ["a file that it packs", npm({ files: ["src", "templates"] })],
    ["a workspace", npm({ workspaces: ["packages/a"] })],
    ["types", npm({ main: "src/a.js", types: "index.d.ts" })],
    [
      "a new manifest",
      { head: SOURCE, now: { "package.json": json({ ...NPM, main: "index.js" }) }, facts: DONE },
    ],
    ["readme of Python", toml("pyproject.toml", PY, `${PY}readme = "README.md"\n`)],
    ["licence of Python", toml("pyproject.toml", PY, `${PY}license = { file = "LICENSE" }\n`)],
    ["script of Python", toml("pyproject.toml", PY, `${PY}[project.scripts]\na = "pkg.cli:main"\n`)],
    [
      "packages of Python",
      toml("pyproject.toml", PY, `${PY}[tool.setuptools]\npackages = ["pkg", "other"]\n`),
    ],
    ["program of Rust", toml("Cargo.toml", RUST, `${RUST}[[bin]]\nname = "b"\npath = "src/bin/b.rs"\n`)],
    ["member of Rust", toml("Cargo.toml", RUST, `${RUST}[workspace]\nmembers = ["crates/b"]\n`)],
  ])("%s", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(rulesOf).filter((rule) => /^(?:missing-file|unseen-name)$/.test(rule))).not.toEqual(
      [],
    );
    expect(groups.map(({ verdict }) => verdict)).not.toContain("safe");
  });

  it.each([
    [
      "of package.json",
      { "package.json": json({ ...NPM, files: ["a.md"] }), "a.md": "a\n" },
      { "a.md": null, "b.md": "b\n" },
    ],
    [
      "of pyproject.toml",
      { "pyproject.toml": `${PY}[project.scripts]\na = "cli:main"\n`, "cli.py": "def main():\n    pass\n" },
      { "cli.py": null },
    ],
    [
      "of Cargo.toml",
      { "Cargo.toml": `${RUST}[[bin]]\nname = "b"\npath = "b.rs"\n`, "b.rs": "fn main() {}\n" },
      { "b.rs": null },
    ],
  ] as const)(
    "and one that went is missing, where an unchanged manifest names it: %s",
    async (_, head, now) => {
      const groups = await judge({ head, now, facts: DONE });
      expect(groups.flatMap(rulesOf)).toContain("missing-file");
      expect(groups.map(({ verdict }) => verdict)).toContain("risky");
    },
  );

  it.each([
    ["what is there", npm({ main: "src/a.js", files: ["src"], bin: { a: "./src/a" } })],
    ["what came along", npm({ main: "src/b.js" }, {}, { "src/b.js": "exports.b = 1;\n" })],
    [
      "what a build makes",
      npm({
        main: "dist/index.js",
        types: "./types/index.d.ts",
        files: ["dist", "lib"],
        browser: "a.min.js",
      }),
    ],
    [
      "what is made of what lies beside it",
      npm({ main: "index.js", types: "index.d.ts" }, { "index.ts": "export const a = 1;\n" }),
    ],
    ["what a registry takes anyway", npm({ files: ["src", "README.md", "LICENSE"] })],
    [
      "patterns",
      npm({ files: ["templates/*"], workspaces: ["packages/*"], exports: { "./*": "./features/*.js" } }),
    ],
    [
      "what was missing before",
      {
        head: { ...SOURCE, "package.json": json({ ...NPM, main: "index.js", bin: "./src/b.js" }) },
        now: { "package.json": json({ ...NPM, version: "1.0.1", main: "index.js", bin: "./src/b.js" }) },
        facts: DONE,
      },
    ],
    [
      "readme that is there",
      toml("pyproject.toml", PY, `${PY}readme = "README.md"\n`, { "README.md": "a\n" }),
    ],
    [
      "script that is there",
      toml("pyproject.toml", PY, `${PY}[project.scripts]\na = "pkg.cli:main"\n`, { "src/pkg/cli.py": "" }),
    ],
    ["module that is a package", toml("pyproject.toml", PY, `${PY}[project.scripts]\na = "pkg:main"\n`)],
    ["program that is there", toml("Cargo.toml", RUST, `${RUST}[[bin]]\nname = "b"\npath = "src/main.rs"\n`)],
    ["members by a pattern", toml("Cargo.toml", RUST, `${RUST}[workspace]\nmembers = ["crates/*"]\n`)],
  ])("not so: %s", async (_, given) => {
    const rules = (await judge(given)).flatMap(rulesOf);
    expect(rules.filter((rule) => /^(?:missing-file|unseen-name)$/.test(rule))).toEqual([]);
  });
});
