/** Every risky rule on both sides: work it must speak against, and work it must leave alone. */
import { describe, expect, it } from "vitest";
import { type Case, COMPLETED, ENDED, judge, rulesOf, WRITTEN } from "../../../test/support/triage-facts.ts";
import type { CallFact } from "../facts/known/triage-facts.ts";
import { NO_PATH_RULES } from "../facts/paths/path-rules.ts";
import { RISKY_RULES } from "./table.ts";

interface Sides {
  readonly fires: Readonly<Record<string, Case>>;
  readonly silent: Readonly<Record<string, Case>>;
}

const lines = (count: number, word = "line"): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");
const call: CallFact = {
  id: "c1",
  tool: "bash",
  command: null,
  startedSeq: 11,
  endedSeq: 15,
  outcome: "done",
  paths: [],
  mayWrite: true,
};
const byCall = [{ ...WRITTEN, call: "c1" }];
const manifest = (version: string, more = {}): string =>
  JSON.stringify({ name: "x", version: "1.0.0", dependencies: { a: version }, ...more }, null, 2);
const lock = (version: string): string =>
  JSON.stringify(
    { lockfileVersion: 3, packages: { "": { name: "x", dependencies: { a: version } } } },
    null,
    2,
  );
const edit = (before: string, after: string, path: string, more: Partial<Case> = {}): Case => ({
  head: { [path]: before },
  now: { [path]: after },
  ...more,
});

const TABLE: Readonly<Record<string, Sides>> = {
  "open-operation": {
    fires: {
      "an operation that never ended": edit("a\n", "b\n", "a.txt", {
        facts: { operations: [{ ...ENDED, state: "open", endedSeq: null }] },
      }),
      "an aborted one": edit("a\n", "b\n", "a.txt", {
        facts: { operations: [{ ...ENDED, state: "aborted" }] },
      }),
      "a BEGIN line without END in the agent's own words": edit("a\n", "b\n", "a.txt", {
        facts: { said: [{ seq: 3, channel: "messages", text: "# BEGIN: sync\n" }] },
      }),
      "a BEGIN line in a journal the session appended to": {
        head: { "journal/a.md": "x\n", "a.txt": "a\n" },
        now: { "journal/a.md": "x\n# BEGIN: sync\n", "a.txt": "b\n" },
      },
    },
    silent: {
      "an operation that ended": edit("a\n", "b\n", "a.txt", { facts: { operations: [ENDED] } }),
      "an open one that names other paths": edit("a\n", "b\n", "a.txt", {
        facts: { operations: [{ ...ENDED, state: "open", endedSeq: null, paths: ["src/**"] }] },
      }),
      "one begun after the last writing": edit("a\n", "b\n", "a.txt", {
        facts: { operations: [{ ...ENDED, state: "open", beganSeq: 25, endedSeq: null }] },
      }),
      "another session's change": edit("a\n", "b\n", "a.txt", {
        owner: "other",
        facts: { operations: [{ ...ENDED, state: "open", endedSeq: null }] },
      }),
    },
  },
  "open-call": {
    fires: {
      "a call that wrote it and never had a result": edit("a\n", "b\n", "a.txt", {
        writes: { "a.txt": byCall },
        facts: { calls: [{ ...call, endedSeq: null, outcome: "none" }] },
      }),
      "a call that was open while nobody knows who wrote": edit("a\n", "b\n", "a.txt", {
        facts: { calls: [{ ...call, endedSeq: null, outcome: "none" }] },
      }),
    },
    silent: {
      "a call that ended": edit("a\n", "b\n", "a.txt", {
        writes: { "a.txt": byCall },
        facts: { calls: [call] },
      }),
      "an open call that only reads": edit("a\n", "b\n", "a.txt", {
        facts: { calls: [{ ...call, endedSeq: null, mayWrite: false }] },
      }),
      "an open call begun after": edit("a\n", "b\n", "a.txt", {
        facts: { calls: [{ ...call, startedSeq: 30, endedSeq: null }] },
      }),
    },
  },
  "type-change": {
    fires: {
      "a link that became a directory": {
        head: { pkg: { link: "real/pkg" } },
        now: { pkg: null, "pkg/a.js": "x\n" },
      },
      "a file that became a link": { head: { a: "x\n" }, now: { a: { link: "/etc/passwd" } } },
    },
    silent: { "a file with other bytes": edit("a\n", "b\n", "a.txt") },
  },
  "mode-change": {
    fires: {
      "a file that became executable": { head: { a: "x\n" }, now: { a: { text: "x\n", mode: 0o755 } } },
      "a new journal that can be run": {
        head: {},
        now: { "journal/a": { text: "#!/bin/sh\n", mode: 0o755 } },
      },
      "a new log that can be run": { head: {}, now: { "x.log": { text: "rm -rf x\n", mode: 0o755 } } },
    },
    silent: {
      "other bits": { head: { a: "x\n" }, now: { a: { text: "x\n", mode: 0o600 } } },
      "a new program": { head: {}, now: { "bin/a": { text: "#!/bin/sh\n", mode: 0o755 } } },
      "a new journal": { head: {}, now: { "journal/a.md": "x\n" } },
    },
  },
  deletion: {
    fires: { "a file gone": { head: { "src/a.js": "x\n" }, now: { "src/a.js": null } } },
    silent: {
      "a file moved with other bytes": {
        head: { "src/a.js": "exports.a = 1;\n" },
        now: { "src/a.js": null, "lib/a.js": "exports.a = 2;\n" },
      },
      "a file that became typed": {
        head: { "src/a.js": "export const a = 1;\n" },
        now: { "src/a.js": null, "src/a.ts": "export const a: number = 1;\n" },
      },
    },
  },
  downgrade: {
    fires: {
      "package.json": edit(manifest("^2.1.0"), manifest("^2.0.0"), "package.json"),
      requirements: edit("ruff==0.14.7\n", "ruff==0.6.9\n", "requirements-dev.txt"),
      pyproject: edit(
        '[project]\ndependencies=["ruff>=0.14"]\n',
        '[project]\ndependencies=["ruff>=0.6"]\n',
        "pyproject.toml",
      ),
      "Cargo.toml": edit(
        '[dependencies]\nserde = "1.2.0"\n',
        '[dependencies]\nserde = { version = "1.1.9" }\n',
        "Cargo.toml",
      ),
      "go.mod": edit(
        "module m\nrequire github.com/a/b v1.3.0\n",
        "module m\nrequire github.com/a/b v1.2.9\n",
        "go.mod",
      ),
      "pre-commit": edit(
        "repos:\n- repo: r\n  rev: v0.14.7\n",
        "repos:\n- repo: r\n  rev: v0.6.9\n",
        ".pre-commit-config.yaml",
      ),
      Dockerfile: edit("FROM node:22-slim\n", "FROM node:20-slim\n", "Dockerfile"),
      "a workflow": edit(
        "steps:\n- uses: actions/checkout@v4\n",
        "steps:\n- uses: actions/checkout@v3\n",
        ".github/workflows/ci.yml",
      ),
      "to a pre-release": edit(manifest("2.0.0"), manifest("2.0.0-rc.1"), "package.json"),
    },
    silent: {
      "a version that went up": edit(manifest("^2.0.0"), manifest("^10.0.0"), "package.json"),
      "PEP 440: 1.0 after 1.0rc1": edit("a==1.0rc1\n", "a==1.0\n", "requirements.txt"),
      "a tag that says less": edit("- uses: a/b@v4.1.0\n", "- uses: a/b@v4\n", ".github/workflows/ci.yml"),
      "from a version to a commit": edit(
        "- uses: a/b@v4\n",
        `- uses: a/b@${"a1".repeat(20)}\n`,
        ".github/workflows/ci.yml",
      ),
    },
  },
  rewrite: {
    fires: {
      "most lines replaced": edit(lines(20), lines(20, "other"), "a.md"),
      "248 of 249 lines lost, whatever the path says": edit(lines(249), "line 0\n", "journal/a.md"),
    },
    silent: {
      "a few lines of many": edit(lines(20), lines(20).replace("line 3\n", "line three\n"), "a.md"),
      "a short file": edit(lines(4), lines(4, "other"), "a.md"),
    },
  },
  config: {
    fires: {
      Makefile: edit("all:\n\ttrue\n", "all:\n\tfalse\n", "Makefile"),
      "CI that a parser finds sound": edit("a: 1\n", "a: 2\n", "bitbucket-pipelines.yml"),
      "a container's second file": edit("a: 1\n", "a: 2\n", "compose.override.yml"),
      "what an agent is told": edit("Ask first.\n", "Ask nobody.\n", "CLAUDE.md"),
      "scripts of package.json": edit(
        manifest("1.0.0"),
        manifest("1.0.0", { scripts: { postinstall: "x" } }),
        "package.json",
      ),
      "the user's own": edit("a\n", "b\n", "deploy/x.txt", {
        facts: { pathRules: { ...NO_PATH_RULES, config: ["deploy/**"] } },
      }),
    },
    silent: {
      "dependencies of package.json": edit(manifest("1.0.0"), manifest("1.0.1"), "package.json"),
      "a source file": edit("a\n", "b\n", "src/a.txt"),
      "a chart's version and its application's": edit(
        'apiVersion: v2\nname: a\nversion: 1.0.0\nappVersion: "2.0"\n',
        'apiVersion: v2\nname: a\nversion: 1.0.1\nappVersion: "2.1"\n',
        "charts/a/Chart.yaml",
      ),
    },
  },
  lockfile: {
    fires: {
      "a manifest without its lockfile": {
        head: { "package.json": manifest("^1.0.0"), "package-lock.json": lock("^1.0.0") },
        now: { "package.json": manifest("^1.1.0") },
      },
      "a lockfile without its manifest": {
        head: { "package.json": manifest("^1.0.0"), "package-lock.json": lock("^1.0.0") },
        now: { "package-lock.json": lock("^1.1.0") },
      },
      "two that do not agree": {
        head: { "package.json": manifest("^1.0.0"), "package-lock.json": lock("^1.0.0") },
        now: { "package.json": manifest("^1.2.0"), "package-lock.json": lock("^1.1.0") },
      },
      "a package of a workspace": {
        head: { "packages/a/package.json": manifest("^1.0.0"), "package-lock.json": "{}" },
        now: { "packages/a/package.json": manifest("^1.1.0") },
      },
    },
    silent: {
      "both, and they agree": {
        head: { "package.json": manifest("^1.0.0"), "package-lock.json": lock("^1.0.0") },
        now: { "package.json": manifest("^1.1.0"), "package-lock.json": lock("^1.1.0") },
      },
      "no lockfile anywhere": edit(manifest("^1.0.0"), manifest("^1.1.0"), "package.json"),
      "only its own version": {
        head: { "package.json": manifest("^1.0.0"), "package-lock.json": lock("^1.0.0") },
        now: { "package.json": manifest("^1.0.0").replace('"1.0.0"', '"1.0.1"') },
      },
    },
  },
  parse: {
    fires: {
      JavaScript: edit("const a = 1;\n", "const a = (1;\n", "a.js"),
      TypeScript: edit("const a: number = 1;\n", "const a: = 1;\n", "a.ts"),
      Python: edit("def f():\n    return 1\n", "def f(:\n    return 1\n", "a.py"),
      Go: edit("package a\nfunc f() {}\n", "package a\nfunc f( {}\n", "a.go"),
      Rust: edit("fn f() {}\n", "fn f( {}\n", "a.rs"),
      Java: edit("class A {}\n", "class A {\n", "A.java"),
      "C++": edit("int f() { return 1; }\n", "int f() { return 1;\n", "a.cc"),
      C: edit("int f(void) { return 1; }\n", "int f(void) { return 1;\n", "a.c"),
      "a header of C": edit("struct a { int b; };\n", "struct a { int b;\n", "a.h"),
      "C with a name that C++ keeps": edit(
        "int class(int new) { return new; }\n",
        "int class(int new) { return (new; }\n",
        "a.c",
      ),
      "C#": edit("class A { void F() { } }\n", "class A { void F() { }\n", "A.cs"),
      Ruby: edit("def f\nend\n", "def f\n", "a.rb"),
      PHP: edit("<?php function f() {}\n", "<?php function f( {\n", "a.php"),
      shell: edit("if true; then echo; fi\n", "if true; then echo;\n", "a.sh"),
      CSS: edit("a { color: red; }\n", "a { color: red;\n", "a.css"),
      JSON: edit('{"a":1}', '{"a":', "a.json"),
      YAML: edit("a: 1\n", "a: [1\n", "a.yaml"),
      TOML: edit("a = 1\n", "a = \n", "a.toml"),
      "a new file": { head: {}, now: { "a.js": "function f( {\n" } },
    },
    silent: {
      "what did not parse before": edit("const a = (1;\n", "const a = (2;\n", "a.js"),
      "a return at the top of CommonJS": edit("a();\n", "if (a) return;\na();\n", "a.js"),
      "JSX in a .js file": edit("a();\n", "a(<b c={1}/>);\n", "a.js"),
      "comments in tsconfig.json": edit("{}\n", '{ // why\n "a": 1, }\n', "tsconfig.json"),
    },
  },
  "conflict-marker": {
    fires: {
      "markers that came": edit("a\n", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", "a.txt"),
      "the opening of a merge that was killed": edit("a\n", "a\n<<<<<<< HEAD\nb\n", "journal/a.md"),
      "its end alone": edit("a\n", "a\n=======\nb\n>>>>>>> x\n", "journal/a.md"),
    },
    silent: {
      "a marker inside a line": edit("a\n", "a\ngit wrote <<<<<<< HEAD there\n> >>>>>>> x\n", "journal/a.md"),
      "more brackets than a marker has": edit("a\n", "a\n<<<<<<<<< x\n<<<<<<<\n", "journal/a.md"),
      "markers that were there": edit("<<<<<<< a\n>>>>>>> b\n", "<<<<<<< a\n>>>>>>> b\nmore\n", "a.txt"),
      "a heading": edit("a\n", "Title\n=======\n", "a.txt"),
    },
  },
  truncated: {
    fires: {
      emptied: edit("a\n", "", "a.txt"),
      "NUL at its end": edit("a\n", "a\n\0\0\0\0", "a.txt"),
      "a last line without its end": edit("a\nb\n", "a\nb\nhal", "a.txt"),
    },
    silent: {
      "a last line that never had an end": edit("a\nb", "a\nb\nc", "a.txt"),
      "JSON that parses": edit('{"a":1}\n', '{"a":2}', "a.json"),
    },
  },
  "missing-file": {
    fires: {
      "a require of what is not there": edit('require("./b");\n', 'require("./c");\n', "a.js", {}),
      "an import of a file that was deleted, from an unchanged file": {
        head: { "a.js": 'import "./b.js";\n', "b.js": "b();\n", "c.js": "" },
        now: { "b.js": null },
      },
      "a Python module of a package that is here": {
        head: { "pkg/__init__.py": "", "pkg/a.py": "" },
        now: { "pkg/a.py": "from .gone import x\n" },
      },
      "the main of a package": {
        head: { "package.json": '{"main":"lib/a.js"}', "lib/a.js": "" },
        now: { "lib/a.js": null, "lib/z.txt": "x" },
      },
    },
    silent: {
      "what led nowhere before": edit('require("./c");\n', 'require("./c");\nx();\n', "a.js"),
      "in try: it may be missing": edit("", 'try { require("./c"); } catch (e) { x(); }\n', "a.js"),
      "a package": edit("", 'require("lodash");\n', "a.js"),
      "TypeScript that names what it will become": {
        head: { "b.ts": "export const b = 1;\n" },
        now: { "a.ts": 'import { b } from "./b.js";\nb;\n' },
      },
    },
  },
  // The whole of it is in rules-arguments.test.ts.
  "wrong-arguments": {
    fires: {
      "a parameter came, and the caller was left": {
        head: {
          "a.ts": 'import { b } from "./b.js";\nb();\n',
          "b.ts": "export function b() {}\nexport const c = 1;\n",
        },
        now: { "b.ts": "export function b(mode: string) {}\nexport const c = 1;\n" },
      },
    },
    silent: {
      "one that may be left out": {
        head: {
          "a.ts": 'import { b } from "./b.js";\nb();\n',
          "b.ts": "export function b() {}\nexport const c = 1;\n",
        },
        now: { "b.ts": "export function b(mode?: string) {}\nexport const c = 1;\n" },
      },
    },
  },
  "missing-export": {
    fires: {
      "a caller without its callee": {
        head: { "a.js": 'const { b } = require("./b");\nb();\n', "b.js": "exports.b = () => 1;\n" },
        now: { "a.js": 'const { b, c } = require("./b");\nb(); c();\n' },
      },
      "a member of what was taken whole": {
        head: { "a.js": 'const b = require("./b");\nb.b();\n', "b.js": "exports.b = () => 1;\n" },
        now: { "a.js": 'const b = require("./b");\nb.c();\n' },
      },
      "a name an unchanged file still wants": {
        head: {
          "a.ts": 'import { b } from "./b.js";\nb;\n',
          "b.ts": "export const b = 1;\nexport const c = 2;\n",
        },
        now: { "b.ts": "export const c = 2;\n" },
      },
      "a name that only stands in somebody else's uncommitted work": {
        head: { "a.ts": "", "b.ts": "export const b = 1;\n" },
        now: {
          "a.ts": 'import { c } from "./b.js";\nc;\n',
          "b.ts": "export const b = 1;\nexport const c = 2;\n",
        },
        owners: { "b.ts": "before" },
      },
      Python: {
        head: { "pkg/__init__.py": "", "pkg/b.py": "def b():\n    return 1\n" },
        now: { "pkg/a.py": "from pkg.b import c\nc()\n" },
      },
      "Python, of a module that sets something of what it is given": {
        head: {
          "pkg/__init__.py": "",
          "pkg/b.py": 'def b(row, value: int):\n    setattr(row, "a", value)\n',
        },
        now: { "pkg/a.py": "from pkg.b import c\nc()\n" },
      },
    },
    silent: {
      "Python, of a module that sets its own names": {
        head: {
          "pkg/__init__.py": "",
          "pkg/b.py": 'import sys\n\nthis = sys.modules[__name__]\nsetattr(this, "c", 1)\n',
        },
        now: { "pkg/a.py": "from pkg.b import c\nc()\n" },
      },
      "handed on by a star": {
        head: { "b.js": 'export * from "./c.js";\n', "c.js": "export const c = 1;\n" },
        now: { "a.js": 'import { c } from "./b.js";\nc;\n' },
      },
      "exports nobody can read off": {
        head: { "b.js": "module.exports = make();\n" },
        now: { "a.js": 'const { c } = require("./b");\nc();\n' },
      },
      "a submodule of a Python package": {
        head: { "pkg/__init__.py": "", "pkg/b.py": "" },
        now: { "a.py": "from pkg import b\nb\n" },
      },
    },
  },
  secret: {
    fires: { "a token": edit("a\n", `token = "ghp_${"a1B2".repeat(9)}"\n`, "a.txt") },
    silent: {
      "one that was there": edit(
        `t = "ghp_${"a1B2".repeat(9)}"\n`,
        `t = "ghp_${"a1B2".repeat(9)}"\nmore\n`,
        "a.txt",
      ),
      "a plain line": edit("a\n", "the token is in the vault\n", "a.txt"),
    },
  },
  binary: {
    fires: {
      "a binary replaced": {
        head: { "a.png": new Uint8Array([1, 0, 2]) },
        now: { "a.png": new Uint8Array([1, 0, 3]) },
      },
    },
    silent: { "a new one": { head: {}, now: { "a.png": new Uint8Array([1, 0, 3]) } } },
  },
  "partial-sync": {
    fires: {
      "a copy that failed": edit("a\n", "b\n", "a.txt", {
        writes: { "a.txt": byCall },
        facts: { calls: [{ ...call, command: "cp -r ../template/. .", outcome: "failed" }] },
      }),
      "one of several, and the turn did not complete": edit("a\n", "b\n", "a.txt", {
        writes: { "a.txt": byCall },
        facts: {
          calls: [
            { ...call, command: "cp ../template/a.txt a.txt" },
            { ...call, id: "c2", command: "cp ../template/b.txt b.txt" },
          ],
          turns: [{ ...COMPLETED, outcome: "interrupted" }],
        },
      }),
    },
    silent: {
      "a copy that ended, in a turn that completed": edit("a\n", "b\n", "a.txt", {
        writes: { "a.txt": byCall },
        facts: { calls: [{ ...call, command: "cp ../template/a.txt ." }], turns: [COMPLETED] },
      }),
      "a copy within the workspace": edit("a\n", "b\n", "a.txt", {
        writes: { "a.txt": byCall },
        facts: { calls: [{ ...call, command: "cp b.txt a.txt", outcome: "failed" }] },
      }),
    },
  },
  "judge-changed": {
    fires: {
      "refloat.json": edit("{}\n", '{"verify":"true"}\n', "refloat.json"),
      "the script of the check": edit("a\n", "b\n", "scripts/check.txt", {
        facts: { pathRules: { ...NO_PATH_RULES, judges: ["/scripts/check.txt"] } },
      }),
    },
    silent: { "a file of that name elsewhere": edit("{}\n", '{"a":1}\n', "examples/refloat.json") },
  },
};

describe("risky rules", () => {
  it("have a case on both sides, each of them", () => {
    expect(Object.keys(TABLE).sort()).toEqual(RISKY_RULES.map(({ slug }) => slug).sort());
    for (const { fires, silent } of Object.values(TABLE))
      expect([Object.keys(fires).length, Object.keys(silent).length].every((count) => count > 0)).toBe(true);
  });

  for (const [slug, { fires, silent }] of Object.entries(TABLE)) {
    it.each(Object.keys(fires))(`${slug} speaks: %s; the group is risky, never safe (S3)`, async (name) => {
      const groups = await judge(fires[name] as Case);
      const spoken = groups.filter((group) => rulesOf(group).includes(slug));
      expect(spoken.length).toBeGreaterThan(0);
      for (const group of spoken) {
        expect(group.verdict).toBe("risky");
        const reason = group.reasons.find(({ rule }) => rule === slug);
        expect(reason?.message).toMatch(/\.$/);
        expect(reason?.evidence.length).toBeGreaterThan(0);
      }
    });
    it.each(Object.keys(fires))(`${slug} stays risky under a check that passes: %s (S3)`, async (name) => {
      const given = fires[name] as Case;
      const groups = new Map((await judge(given)).map(({ id }) => [id, "passed"] as const));
      const verify = { command: "true", head: "passed", groups, clashing: [] } as const;
      const again = await judge({ ...given, facts: { ...given.facts, verify } });
      const spoken = again.filter((group) => rulesOf(group).includes(slug));
      expect(spoken.length).toBeGreaterThan(0);
      for (const { verdict, reasons } of spoken) {
        expect(verdict).toBe("risky");
        expect(reasons.filter(({ weight }) => weight === "safe")).toEqual([]);
      }
    });
    it.each(Object.keys(silent))(`${slug} is silent: %s`, async (name) => {
      const groups = await judge(silent[name] as Case);
      expect(groups.flatMap(rulesOf)).not.toContain(slug);
    });
  }
});
