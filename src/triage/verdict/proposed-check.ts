/**
 * The check a project has itself, as its files at HEAD tell: a type check before tests, which take longer and fail for more
 * reasons. It is only ever shown, in a command that can be typed as it stands (T1): nothing is run that the user did not type (T2).
 * Pure, but for asking HEAD for a file.
 */
import { isJsonObject, parsedOrNull } from "../../model/json.ts";
import { folderOfPath } from "../facts/manifests/manifest-kinds.ts";
import { type Language, languageOf } from "../facts/paths/languages.ts";

/** HEAD, as far as a proposal looks. */
export interface ProjectFiles {
  readonly paths: ReadonlySet<string>;
  textAt(path: string): Promise<string>;
}

/** A project's files in one folder of it, "" for the root, else with a slash at its end. */
interface ProjectFolder {
  has(name: string): boolean;
  text(name: string): Promise<string>;
  /** Whether something lies below a folder. */
  hasBelow(folder: string): boolean;
  /** Whether a file in the folder itself is called so. */
  hasEnding(endings: readonly string[]): boolean;
}

interface Toolchain {
  readonly languages: readonly Language[];
  /** It may speak of any language. */
  readonly isGeneral?: true;
  /** Null: the folder is no project of it, or says nothing. */
  readonly check: (folder: ProjectFolder) => Promise<string | null>;
}

/** Names of targets and scripts that check types and run nothing, the plainest first. */
const TYPE_CHECKS = [
  "typecheck",
  "type-check",
  "check-types",
  "check:types",
  "types:check",
  "type:check",
  "ts:check",
  "tsc",
];

/** Those of what changed most come first, in this order where they are equal. */
const TOOLCHAINS: readonly Toolchain[] = [
  { languages: ["typescript", "javascript", "css"], check: nodeCheck },
  {
    languages: ["rust"],
    check: cargoCheck,
  },
  { languages: ["go"], check: async ({ has }) => (has("go.mod") ? "go build ./..." : null) },
  { languages: ["python"], check: pythonCheck },
  { languages: ["java"], check: javaCheck },
  { languages: ["ruby"], check: rubyCheck },
  { languages: ["php"], check: phpCheck },
  {
    languages: ["csharp"],
    check: async ({ hasEnding }) => (hasEnding([".sln", ".csproj"]) ? "dotnet build" : null),
  },
  {
    languages: [],
    isGeneral: true,
    check: async ({ has }) => (has("mix.exs") ? "mix test" : null),
  },
  { languages: ["cpp", "shell"], isGeneral: true, check: makeCheck },
];

/** Folders above changed files that are looked into; deeper ones are hardly a project of their own. */
const MAX_FOLDERS = 8;
/** A folder that must be quoted to be typed is left out: the command stands in quotes itself. */
const PLAIN_FOLDER = /^[\w@./-]+$/;

/** `changed`: what the check is to be of. Null: nothing says. */
export async function proposedCheck(files: ProjectFiles, changed: readonly string[]): Promise<string | null> {
  const counts = new Map<Language, number>();
  for (const path of changed) counts.set(languageOf(path), (counts.get(languageOf(path)) ?? 0) + 1);
  const weight = ({ languages }: Toolchain): number =>
    languages.reduce((sum, language) => sum + (counts.get(language) ?? 0), 0);
  const meant = TOOLCHAINS.filter((chain) => weight(chain) > 0);
  // Of a page or a query any of them may speak; of Go no package.json does.
  const chains =
    meant.length > 0 ? TOOLCHAINS.filter((one) => one.isGeneral || meant.includes(one)) : TOOLCHAINS;
  for (const chain of chains.toSorted((a, b) => weight(b) - weight(a))) {
    const own = changed.filter((path) => chain.languages.includes(languageOf(path)));
    for (const at of ["", ...(own.length > 0 ? foldersAbove(own) : [])]) {
      const check = await chain.check(folderOf(files, at));
      if (check !== null) return at === "" ? check : `(cd ${at.slice(0, -1)} && ${check})`;
    }
  }
  return null;
}

/** Folders that have all of these below them, the outermost first, the root left out. */
function foldersAbove(paths: readonly string[]): string[] {
  const [first = [], ...rest] = paths.map((path) =>
    folderOfPath(path)
      .split("/")
      .filter((part) => part !== ""),
  );
  const apart = first.findIndex((part, at) => rest.some((other) => other[at] !== part));
  const common = apart === -1 ? first : first.slice(0, apart);
  return common
    .map((_, at) => `${common.slice(0, at + 1).join("/")}/`)
    .filter((folder) => PLAIN_FOLDER.test(folder))
    .slice(0, MAX_FOLDERS);
}

function folderOf({ paths, textAt }: ProjectFiles, at: string): ProjectFolder {
  const some = (test: (path: string) => boolean): boolean => {
    for (const path of paths) if (path.startsWith(at) && test(path.slice(at.length))) return true;
    return false;
  };
  return {
    has: (name) => paths.has(`${at}${name}`),
    text: async (name) => (paths.has(`${at}${name}`) ? textAt(`${at}${name}`) : ""),
    hasBelow: (folder) => some((path) => path.startsWith(`${folder}/`)),
    hasEnding: (endings) =>
      some((path) => !path.includes("/") && endings.some((ending) => path.endsWith(ending))),
  };
}

/** What `npm init` writes where there is none. */
const NO_TEST = /no test specified/;

async function nodeCheck(folder: ProjectFolder): Promise<string | null> {
  if (!folder.has("package.json")) return null;
  const { scripts, dependencies } = await packageOf(folder);
  const run = runnerOf(folder);
  const types = TYPE_CHECKS.find((name) => scripts.has(name));
  if (types !== undefined) return `${run} run ${types}`;
  if (/\btsc\b/.test(scripts.get("build") ?? "")) return `${run} run build`;
  if (folder.has("tsconfig.json") && dependencies.has("typescript")) return "npx --no-install tsc --noEmit";
  const test = scripts.get("test");
  return test !== undefined && !NO_TEST.test(test) ? `${run} test` : null;
}

interface NodePackage {
  readonly scripts: ReadonlyMap<string, string>;
  readonly dependencies: ReadonlySet<string>;
}

/** No JSON: then it names no script. */
async function packageOf({ text }: ProjectFolder, name = "package.json"): Promise<NodePackage> {
  const manifest = parsedOrNull(await text(name));
  const part = (key: string): [string, string][] => {
    const found = isJsonObject(manifest) ? manifest[key] : undefined;
    const entries = isJsonObject(found) ? Object.entries(found) : [];
    return entries.map(([at, value]) => [at, typeof value === "string" ? value : ""]);
  };
  return {
    scripts: new Map(part("scripts")),
    dependencies: new Set([...part("dependencies"), ...part("devDependencies")].map(([at]) => at)),
  };
}

function runnerOf({ has }: ProjectFolder): string {
  if (has("pnpm-lock.yaml")) return "pnpm";
  if (has("yarn.lock")) return "yarn";
  return has("bun.lock") || has("bun.lockb") ? "bun" : "npm";
}

async function pythonCheck({ has, text, hasBelow }: ProjectFolder): Promise<string | null> {
  const project = await text("pyproject.toml");
  const settings = `${project}\n${await text("setup.cfg")}\n${await text("tox.ini")}`;
  if (has("mypy.ini") || /^\[(?:tool\.)?mypy\]/m.test(settings)) return "python3 -m mypy .";
  if (has("pyrightconfig.json") || /^\[tool\.pyright\]/m.test(project)) return "pyright";
  const isTested = has("pytest.ini") || has("conftest.py") || /^\[(?:tool\.|tool:)?pytest\b/m.test(settings);
  if (isTested || (/\bpytest\b/.test(settings) && (hasBelow("tests") || hasBelow("test"))))
    return "python3 -m pytest";
  return project !== "" || has("setup.py") || has("setup.cfg") ? "python3 -m compileall -q ." : null;
}

/** Where a package is the root of a workspace, cargo looks at that package alone unless it is told otherwise. */
async function cargoCheck({ has, text }: ProjectFolder): Promise<string | null> {
  if (!has("Cargo.toml")) return null;
  const isWorkspace = /^\s*\[workspace\b/m.test(await text("Cargo.toml"));
  return `cargo check ${isWorkspace ? "--workspace " : ""}--all-targets`;
}

async function javaCheck({ has }: ProjectFolder): Promise<string | null> {
  if (has("pom.xml")) return `${has("mvnw") ? "./mvnw" : "mvn"} -q test-compile`;
  const isGradle = ["build.gradle", "build.gradle.kts", "settings.gradle"].some(has);
  return isGradle ? `${has("gradlew") ? "./gradlew" : "gradle"} testClasses` : null;
}

async function rubyCheck({ has, hasBelow }: ProjectFolder): Promise<string | null> {
  if (!has("Gemfile")) return null;
  if (has(".rspec") || hasBelow("spec")) return "bundle exec rspec";
  return has("Rakefile") ? "bundle exec rake test" : null;
}

async function phpCheck(folder: ProjectFolder): Promise<string | null> {
  const { has } = folder;
  if (!has("composer.json")) return null;
  const { scripts } = await packageOf(folder, "composer.json");
  const named = ["phpstan", "psalm", "analyse", "test"].find((name) => scripts.has(name));
  if (named !== undefined) return `composer run-script ${named}`;
  if (has("phpstan.neon") || has("phpstan.neon.dist")) return "vendor/bin/phpstan analyse";
  return has("phpunit.xml") || has("phpunit.xml.dist") ? "vendor/bin/phpunit" : null;
}

async function makeCheck({ has, text }: ProjectFolder): Promise<string | null> {
  const makefile = ["Makefile", "GNUmakefile", "makefile"].find(has);
  if (makefile === undefined) return null;
  // One rule may have several targets, and two colons.
  const targets = new Set(
    [...(await text(makefile)).matchAll(/^([\w./ -]+?)\s*::?(?![:=])/gm)].flatMap(([, names = ""]) =>
      names.split(/\s+/),
    ),
  );
  const target = [...TYPE_CHECKS, "check", "test"].find((name) => targets.has(name));
  return target === undefined ? null : `make ${target}`;
}
