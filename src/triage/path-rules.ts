/**
 * Which paths are journal-like, record-like or configuration, and what the user's own rules add. The user's come from
 * the config as it was committed when the session began, or from the user's own file, never from uncommitted bytes (T2).
 *
 * No rule can say `safe`: safe needs evidence from the workspace (S3). A rule can name more places where an append or
 * an update is such evidence, switch a risky rule off for some paths, or keep paths from ever being safe.
 */
import type { PathRule } from "../model/config.ts";

export interface PathRules {
  /** `journal`, `records` and `config` of the user's config: added to the built-in ones. */
  readonly journal: readonly string[];
  readonly records: readonly string[];
  readonly config: readonly string[];
  /** `rules` of the user's config. */
  readonly rules: readonly PathRule[];
  /** Where hooks and the user's check live, beyond the built-in places: hooksPath, the script `verify` runs. */
  readonly judges: readonly string[];
}

export const NO_PATH_RULES: PathRules = { journal: [], records: [], config: [], rules: [], judges: [] };

/** Prose and data that only grows. Never source code, whatever a glob says (paths.ts). */
export const JOURNAL_GLOBS: readonly string[] = [
  "journal/**",
  "journals/**",
  "*.log",
  "*.jsonl",
  "CHANGELOG*",
  "HISTORY.md",
];

/** Prose and data that is rewritten in place: tasks and queues. */
export const RECORD_GLOBS: readonly string[] = ["tasks/**/*.md", "state/queue*", "state/**/queue*"];

/** Build, CI, hook, container and editor-agent configuration. */
export const CONFIG_GLOBS: readonly string[] = [
  // build
  "Makefile",
  "Makefile.*",
  "makefile",
  "GNUmakefile",
  "*.mk",
  "CMakeLists.txt",
  "*.cmake",
  "meson.build",
  "justfile",
  "Justfile",
  "Taskfile.y*ml",
  "Rakefile",
  "BUILD",
  "BUILD.bazel",
  "MODULE.bazel",
  "WORKSPACE",
  "*.bzl",
  "build.gradle*",
  "settings.gradle*",
  "gradle.properties",
  "build.sbt",
  "mix.exs",
  "build.rs",
  "go.work",
  "pom.xml",
  "setup.cfg",
  "setup.py",
  "tox.ini",
  "noxfile.py",
  "conftest.py",
  "pytest.ini",
  "mypy.ini",
  "ruff.toml",
  ".ruff.toml",
  "pyrightconfig.json",
  "tsconfig*.json",
  "jsconfig.json",
  "babel.config.*",
  ".babelrc*",
  "webpack.config.*",
  "rollup.config.*",
  "vite.config.*",
  "vitest.config.*",
  "jest.config.*",
  "esbuild.config.*",
  "tsup.config.*",
  "tsdown.config.*",
  "next.config.*",
  "playwright.config.*",
  "cypress.config.*",
  "karma.conf.*",
  "tailwind.config.*",
  "postcss.config.*",
  "gulpfile.*",
  "Gruntfile.*",
  "deno.json*",
  "bunfig.toml",
  "eslint.config.*",
  ".eslintrc*",
  ".prettierrc*",
  "prettier.config.*",
  "biome.json*",
  "turbo.json",
  "nx.json",
  "lerna.json",
  "pnpm-workspace.yaml",
  ".npmrc",
  ".yarnrc*",
  "rust-toolchain*",
  ".cargo/**",
  "clippy.toml",
  ".golangci.*",
  "rustfmt.toml",
  ".tool-versions",
  ".nvmrc",
  ".node-version",
  ".python-version",
  "flake.nix",
  "shell.nix",
  "default.nix",
  // CI
  ".github/**",
  ".gitlab-ci.yml",
  ".gitlab/**",
  ".circleci/**",
  ".travis.yml",
  "azure-pipelines*.y*ml",
  "bitbucket-pipelines.yml",
  "cloudbuild*.y*ml",
  "buildspec*.y*ml",
  "netlify.toml",
  "vercel.json",
  "fly.toml",
  "render.yaml",
  "Jenkinsfile*",
  ".buildkite/**",
  "appveyor.yml",
  ".drone.yml",
  ".ci/**",
  // hooks
  ".pre-commit-config.y*ml",
  ".pre-commit-hooks.yaml",
  ".husky/**",
  ".githooks/**",
  "lefthook.y*ml",
  ".lintstagedrc*",
  // containers
  "Dockerfile*",
  "*.dockerfile",
  "*.Dockerfile",
  "Containerfile*",
  "docker-compose*.y*ml",
  "compose.y*ml",
  "compose.*.y*ml",
  "skaffold*.y*ml",
  "Chart.yaml",
  "kustomization.y*ml",
  "Vagrantfile",
  ".devcontainer/**",
  ".dockerignore",
  "Procfile",
  "*.tf",
  // git's own
  ".gitattributes",
  ".gitmodules",
  // editors and agents
  ".vscode/**",
  ".idea/**",
  ".editorconfig",
  "*.code-workspace",
  "AGENTS.md",
  "CLAUDE*.md",
  "GEMINI.md",
  ".claude/**",
  ".codex/**",
  ".cursor/**",
  ".cursorrules",
  ".gemini/**",
  ".opencode/**",
  "opencode.json*",
  ".mcp.json",
  ".aider*",
  ".windsurf*",
];

/** What judges the work: a change of these would let the judged write the judge (T2). */
export const JUDGE_GLOBS: readonly string[] = [
  "/refloat.json",
  "/refloat.jsonc",
  ".pre-commit-config.y*ml",
  ".husky/**",
  ".githooks/**",
  "lefthook.y*ml",
];
