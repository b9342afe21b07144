/** What a project's own files say its check is: shown, never run (T1, T2). */
import { expect, it } from "vitest";
import { proposedCheck } from "./proposed-check.ts";

const proposed = (files: Readonly<Record<string, string>>, changed: readonly string[] = []) =>
  proposedCheck({ paths: new Set(Object.keys(files)), textAt: async (path) => files[path] ?? "" }, changed);
const scripts = (of: Readonly<Record<string, string>>, more: object = {}): string =>
  JSON.stringify({ scripts: of, ...more });

it.each([
  [
    "a type check before tests",
    { "package.json": scripts({ test: "vitest", typecheck: "tsc" }) },
    "npm run typecheck",
  ],
  [
    "whoever installs",
    { "package.json": scripts({ "check:types": "tsc" }), "pnpm-lock.yaml": "" },
    "pnpm run check:types",
  ],
  [
    "a build that is a type check",
    { "package.json": scripts({ build: "tsc -b", test: "x" }), "yarn.lock": "" },
    "yarn run build",
  ],
  [
    "TypeScript without a script",
    {
      "package.json": scripts({ test: "x" }, { devDependencies: { typescript: "7" } }),
      "tsconfig.json": "{}",
    },
    "npx --no-install tsc --noEmit",
  ],
  ["tests", { "package.json": scripts({ test: "node --test" }) }, "npm test"],
  ["no test", { "package.json": scripts({ test: 'echo "Error: no test specified" && exit 1' }) }, null],
  ["a manifest that is no JSON", { "package.json": "{" }, null],
  ["Rust", { "Cargo.toml": "" }, "cargo check --all-targets"],
  [
    "Rust, a package that is the root of a workspace",
    { "Cargo.toml": '[package]\nname = "a"\n\n[workspace]\nmembers = ["b"]\n' },
    "cargo check --workspace --all-targets",
  ],
  ["Go", { "go.mod": "" }, "go build ./..."],
  [
    "Python with types",
    { "pyproject.toml": "[tool.mypy]\n[tool.pytest.ini_options]\n" },
    "python3 -m mypy .",
  ],
  ["Python with tests", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, "python3 -m pytest"],
  ["Python with neither", { "setup.py": "" }, "python3 -m compileall -q ."],
  ["Maven", { "pom.xml": "", mvnw: "" }, "./mvnw -q test-compile"],
  ["Gradle", { "build.gradle.kts": "" }, "gradle testClasses"],
  ["Ruby", { Gemfile: "", "spec/a_spec.rb": "" }, "bundle exec rspec"],
  [
    "PHP",
    { "composer.json": scripts({ test: "phpunit", phpstan: "phpstan" }) },
    "composer run-script phpstan",
  ],
  [".NET", { "app.csproj": "" }, "dotnet build"],
  ["make", { Makefile: "CC := gcc\nall: a\ncheck: all\n\t./check\ntest: all\n" }, "make check"],
  ["make, several targets in one rule", { Makefile: ".PHONY: all\nlint test: all\n\t./test\n" }, "make test"],
  ["make, a rule of two colons", { Makefile: "test ::= no\ncheck::\n\t./check\n" }, "make check"],
  ["make without either", { Makefile: "all: a\n" }, null],
  ["nothing", { "README.md": "" }, null],
] as const)("a project's check is known: %s", async (_, files, check) => {
  expect(await proposed(files)).toBe(check);
});

it("is one of the language that changed, at the root or above all that changed, and no other language's", async () => {
  const files = {
    "package.json": scripts({ test: "vitest" }),
    "server/go.mod": "",
    "server/a.go": "",
    "two words/Cargo.toml": "",
  };
  expect(await proposed(files, ["web/a.ts", "README.md"])).toBe("npm test");
  expect(await proposed(files, ["server/a.go", "server/api/b.go", "web/a.ts"])).toBe(
    "(cd server && go build ./...)",
  );
  expect(await proposed(files, ["db/a.sql"])).toBe("npm test");
  expect(await proposed(files, ["a.py"])).toBeNull();
  expect(await proposed(files, ["two words/src/a.rs"])).toBeNull();
});
