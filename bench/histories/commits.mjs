// Commits as the work of an agent: what it starts from, what it changes, what it ends with. A commit is one person's finished
// piece of work, in the style of its project; nobody made it for this benchmark.
import { PACKAGE_FIELDS } from "../../dist/triage/facts/manifests/running-part.js";
import { CHECKED_LANGUAGES, languageOf, natureOf } from "../../dist/triage/facts/paths/languages.js";
import { pathClasses } from "../../dist/triage/facts/paths/path-classes.js";
import { NO_PATH_RULES } from "../../dist/triage/facts/paths/path-rules.js";
import { createBlobs, git, listTree } from "./mirrors.mjs";

/** A piece of work, not a rewrite of the world. */
const MAX_CHANGED = 15;
const MAX_FILE_BYTES = 200 * 1024;
/** Larger trees cost more to hold than their commits say. */
const MAX_FILES = 4000;
const BUILT =
  /(?:^|\/)(?:dist|build|vendor|node_modules|third_party|generated|__snapshots__)\/|\.min\.|\.map$|\.snap$|(?:^|\/)(?:yarn\.lock|package-lock\.json|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock)$/;
const { isConfig } = pathClasses(NO_PATH_RULES);

/**
 * Commits that may be taken, newest first: one parent, few files, all of them texts that somebody wrote. Bots' bumps are left out: they
 * are no agent's work and would be most of some histories. `touching`: only those that change a path like these.
 */
export function candidatesOf(mirror, head, touching = []) {
  const log = git(mirror, [
    "log",
    "--no-merges",
    "--first-parent",
    "--no-renames",
    "--raw",
    "--no-abbrev",
    "-z",
    "--format=%x01%H %P%x02%an",
    ...(touching.length > 0 ? ["--full-diff"] : []),
    head,
    ...(touching.length > 0 ? ["--", ...touching] : []),
  ]).toString("utf8");
  return log
    .split("\x01")
    .filter((part) => part !== "")
    .flatMap((part) => {
      const [about, rest = ""] = part.split("\x02");
      const [commit, ...parents] = about.trim().split(" ");
      const [author, ...raw] = rest.split("\0");
      const paths = raw.filter((piece) => piece !== "" && !piece.includes(":"));
      const isOne = parents.length === 1 && paths.length >= 1 && paths.length <= MAX_CHANGED;
      return isOne && !/bot\b|renovate|dependabot/i.test(author) && paths.some(isWorth) ? [commit] : [];
    });
}

const isWorth = (path) => !BUILT.test(path) && !isConfig(path) && languageOf(path) !== "other";

/** Null: there is nothing left of it that counts as work. */
export function pairOf(mirror, repository, commit, blobs = createBlobs(mirror, MAX_FILE_BYTES)) {
  const [was, is] = [`${commit}^`, commit].map((at) => listTree(mirror, at).filter(isText));
  if (is.length > MAX_FILES) return null;
  blobs.load([...was, ...is].map(({ id }) => id));
  const [before, after] = [was, is].map(
    (list) => new Map(list.flatMap(({ path, id }) => (blobs.get(id) ? [[path, blobs.get(id)]] : []))),
  );
  const paths = new Set([...before.keys(), ...after.keys()]);
  const changed = [...paths].filter((path) => !sameBytes(before.get(path), after.get(path))).sort();
  if (!changed.some((path) => isWorth(path) && after.has(path))) return null;
  return { name: repository, label: `${repository} ${commit.slice(0, 10)}`, before, after, changed };
}

const isText = ({ path, size }) => !BUILT.test(path) && size <= MAX_FILE_BYTES;
const sameBytes = (a, b) => a === b || (a !== undefined && b !== undefined && a.equals(b));

/** The language a group is counted under: that of most of its source files, else what it is. */
export function languageOfPaths(paths) {
  const counts = new Map();
  for (const path of paths) {
    const language = languageOf(path);
    const name = TITLES[language] ?? (natureOf(language) === "source" ? "other code" : natureOf(language));
    counts.set(name, (counts.get(name) ?? 0) + (natureOf(language) === "source" ? 100 : 1));
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "other";
}
const TITLES = {
  javascript: "TS/JS",
  typescript: "TS/JS",
  python: "Python",
  go: "Go",
  rust: "Rust",
  java: "Java",
  ruby: "Ruby",
  php: "PHP",
  cpp: "C/C++",
  yaml: "YAML",
};

/**
 * Plain: nothing in it that is risky by design, whoever did it (configuration, files taken away, what a manifest runs). Provable: in
 * languages whose references are followed, or that have none.
 */
export function isPlainAndProvable(group, pair) {
  return group.changes.every(({ change }) => {
    const { path, kind } = change;
    if (kind === "deleted" || kind === "mode" || kind === "type" || isConfig(path)) return false;
    if (/(?:^|\/)package\.json$/.test(path) && changesWhatRuns(pair, path)) return false;
    const language = languageOf(path);
    return CHECKED_LANGUAGES.has(language) || ["data", "prose"].includes(natureOf(language));
  });
}

function changesWhatRuns({ before, after }, path) {
  const partOf = (bytes) => {
    const manifest = JSON.parse(bytes?.toString() ?? "{}");
    return JSON.stringify(PACKAGE_FIELDS.map((field) => manifest[field]));
  };
  return partOf(before.get(path)) !== partOf(after.get(path));
}
