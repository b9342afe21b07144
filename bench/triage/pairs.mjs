// Pairs of neighbouring versions, as the work of an agent: what it starts from, what it changes, what it ends with.

import { PACKAGE_FIELDS } from "../../dist/triage/facts/manifests/running-part.js";
import { CHECKED_LANGUAGES, languageOf, natureOf } from "../../dist/triage/facts/paths/languages.js";
import { pathClasses } from "../../dist/triage/facts/paths/path-classes.js";
import { NO_PATH_RULES } from "../../dist/triage/facts/paths/path-rules.js";
import { treeOf, unpackAll } from "./fetch.mjs";

/** An agent's piece of work, not a rewrite of the world. */
const MIN_CHANGED = 1;
const MAX_CHANGED = 25;
/** Pairs of one package, so that no package decides the figures. */
const MAX_PAIRS = 6;
const MAX_FILE_BYTES = 200 * 1024;
/** Built, not written: agents do not edit these. */
const BUILT =
  /(?:^|\/)(?:dist|build|umd|bundles?|out|esm|cjs|es|node_modules|vendor|\.nyc_output|coverage)\/|\.min\.|\.map$|\.tsbuildinfo$|(?:^|\/)(?:yarn\.lock|package-lock\.json|npm-shrinkwrap\.json)$/;
const { isConfig } = pathClasses(NO_PATH_RULES);
const SCRIPT = /\.(?:[mc]?js|[mc]?ts|jsx|tsx)$/;
const OTHER_SOURCE =
  /\.(?:py|pyi|go|rs|java|kt|c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|rb|php|sh|bash|css|scss|less|sol|lua|gypi?)$/;
const isWritten = (path) => SCRIPT.test(path) || OTHER_SOURCE.test(path);

/**
 * Configuration is left out of the work: DESIGN 8 calls every change of it risky, so it would only flatter the figures
 * of half-done work and hide those of finished work. `withConfig` are the same pairs with it.
 */
export async function loadPairs(packages) {
  const all = Object.entries(packages);
  await unpackAll(all.flatMap(([name, versions]) => versions.map((version) => ({ name, version }))));
  const pairs = [];
  const withConfig = [];
  for (const [name, versions] of all) {
    for (let at = versions.length - 1, taken = 0; at > 0 && taken < MAX_PAIRS; at--) {
      const [before, after] = [treeOf(name, versions[at - 1]), treeOf(name, versions[at])].map(written);
      const label = `${name} ${versions[at - 1]} to ${versions[at]}`;
      const pair = pairOf(name, ...withoutConfig(before, after), label);
      if (!pair) continue;
      taken++;
      pairs.push(pair);
      withConfig.push(pairOf(name, before, after, label) ?? pair);
    }
  }
  return { pairs, withConfig };
}

function written(tree) {
  return new Map(
    [...tree].filter(
      ([path, bytes]) => !BUILT.test(path) && bytes.length <= MAX_FILE_BYTES && !bytes.includes(0),
    ),
  );
}

function withoutConfig(before, after) {
  const trees = [before, after].map((tree) => new Map([...tree].filter(([path]) => !isConfig(path))));
  const [was, is] = trees.map((tree) => manifestOf(tree));
  if (was && is) {
    const kept = Object.fromEntries(Object.entries(is).filter(([field]) => !PACKAGE_FIELDS.includes(field)));
    const runs = Object.fromEntries(Object.entries(was).filter(([field]) => PACKAGE_FIELDS.includes(field)));
    trees[0].set("package.json", textOf(was));
    trees[1].set("package.json", textOf({ ...kept, ...runs }));
  }
  // A README that is no longer packed was not deleted by anybody's work.
  for (const [path, bytes] of trees[0])
    if (!trees[1].has(path) && !isWritten(path)) trees[1].set(path, bytes);
  return trees;
}

function manifestOf(tree) {
  const text = tree.get("package.json")?.toString();
  return text === undefined ? null : JSON.parse(text);
}

const textOf = (manifest) => Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);

function pairOf(name, before, after, label) {
  const paths = new Set([...before.keys(), ...after.keys()]);
  const changed = [...paths].filter((path) => !sameBytes(before.get(path), after.get(path))).sort();
  const isWork = changed.some((path) => isWritten(path) && after.has(path));
  if (!isWork || changed.length < MIN_CHANGED || changed.length > MAX_CHANGED) return null;
  return { name, label, before, after, changed };
}

const sameBytes = (a, b) => a !== undefined && b !== undefined && a.equals(b);
/** JavaScript and TypeScript. */
export const isScript = (path) => SCRIPT.test(path);

/** Only languages in which the judge can have evidence for safe without a check. */
export const isFollowedAll = (paths) =>
  paths.every((path) => {
    const language = languageOf(path);
    return CHECKED_LANGUAGES.has(language) || ["data", "prose"].includes(natureOf(language));
  });
