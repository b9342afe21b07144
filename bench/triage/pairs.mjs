// Pairs of neighbouring versions, as the work of an agent: what it starts from, what it changes, what it ends with.
import { treeOf, unpackAll, versionsOf } from "./fetch.mjs";

/** An agent's piece of work, not a rewrite of the world. */
const MIN_CHANGED = 1;
const MAX_CHANGED = 25;
/** Pairs of one package, so that no package decides the figures. */
const MAX_PAIRS = 6;
const MAX_FILE_BYTES = 200 * 1024;
/** Built, not written: agents do not edit these. */
const BUILT =
  /(?:^|\/)(?:dist|build|umd|bundles?|out|esm|cjs|es|node_modules|vendor|\.nyc_output|coverage)\/|\.min\.|\.map$|\.tsbuildinfo$|(?:^|\/)(?:yarn\.lock|package-lock\.json|npm-shrinkwrap\.json)$/;
const SOURCE = /\.(?:[mc]?js|[mc]?ts|jsx|tsx)$/;

export async function loadPairs(names) {
  const wanted = [];
  for (const name of names) for (const version of await versionsOf(name)) wanted.push({ name, version });
  await unpackAll(wanted);
  const pairs = [];
  for (const name of names) pairs.push(...pairsOf(name, await versionsOf(name)));
  return pairs;
}

function pairsOf(name, versions) {
  const pairs = [];
  for (let at = versions.length - 1; at > 0 && pairs.length < MAX_PAIRS; at--) {
    const [before, after] = [versions[at - 1], versions[at]];
    const pair = pairOf(
      name,
      written(treeOf(name, before)),
      written(treeOf(name, after)),
      `${name} ${before} to ${after}`,
    );
    if (pair) pairs.push(pair);
  }
  return pairs;
}

function written(tree) {
  return new Map(
    [...tree].filter(
      ([path, bytes]) => !BUILT.test(path) && bytes.length <= MAX_FILE_BYTES && !bytes.includes(0),
    ),
  );
}

function pairOf(name, before, after, label) {
  const paths = new Set([...before.keys(), ...after.keys()]);
  const changed = [...paths].filter((path) => !sameBytes(before.get(path), after.get(path))).sort();
  const isWork = changed.some((path) => SOURCE.test(path) && after.has(path));
  if (!isWork || changed.length < MIN_CHANGED || changed.length > MAX_CHANGED) return null;
  return { name, label, before, after, changed };
}

const sameBytes = (a, b) => a !== undefined && b !== undefined && a.equals(b);
export const isSource = (path) => SOURCE.test(path);
