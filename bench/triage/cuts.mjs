// Half-done states, made from finished ones. Each cut gives the files as they would lie there and which of them are
// damaged; null where the pair has nothing to cut so.
import { parseSync } from "oxc-parser";
import { createParsers } from "../../dist/triage/facts/parse/parsers.js";
import { languageOf } from "../../dist/triage/facts/paths/languages.js";
import { pathClasses } from "../../dist/triage/facts/paths/path-classes.js";
import { NO_PATH_RULES } from "../../dist/triage/facts/paths/path-rules.js";
import { isScript } from "./pairs.mjs";
import { stubOf } from "./stubs.mjs";
import { namedBy } from "./text-refs.mjs";

const LOWEST_CUT = 0.15;
const HIGHEST_CUT = 0.97;
/** Places tried before a pair is given up. */
const TRIES = 40;

const finished = ({ after, changed }) => new Map(changed.map((path) => [path, after.get(path) ?? null]));
const textOf = (bytes) => bytes?.toString("utf8") ?? "";
const isCode = (line) => !/^\s*(?:$|\/\/|\/\*|\*|#)/.test(line);

/** Some files of the finished state are not there yet: new ones that others name, so that their absence is a fact. */
export function missingFile(pair, random) {
  const needed = neededFiles(pair);
  if (needed.length === 0) return null;
  const now = finished(pair);
  const first = random.pick(needed);
  for (const { path } of needed) if (path === first.path || random.next() < 0.3) now.delete(path);
  for (const path of pair.changed)
    if (!needed.some((one) => one.path === path || one.by.includes(path)) && random.next() < 0.4)
      now.delete(path);
  return { now, damaged: first.by.filter((path) => now.has(path)) };
}

const known = new WeakMap();
function neededFiles(pair) {
  if (!known.has(pair)) known.set(pair, findNeeded(pair));
  return known.get(pair);
}

function findNeeded({ before, after, changed }) {
  const fresh = changed.filter((path) => after.has(path) && !before.has(path));
  return fresh.flatMap((path) => {
    const by = changed.filter((at) => at !== path && after.has(at) && isScript(at) && names(at, path, after));
    return by.length === 0 ? [] : [{ path, by }];
  });
}

const names = (from, target, tree) =>
  namedBy(from, textOf(tree.get(from)), tree).some((one) => one.target === target);

/** A journal is whole with every line: no other file's absence makes it half-done. */
const STANDS_ALONE = /(?:^|\/)(?:CHANGELOG|CHANGES|HISTORY)[^/]*$|\.(?:log|jsonl)$/i;

/** Any one file left as it was: the rest of the work is what lies there. */
export function anyFileLeft(pair, random) {
  if (pair.changed.length < 2) return null;
  const path = random.pick(pair.changed);
  const now = finished(pair);
  now.delete(path);
  const damaged = [...now.keys()].filter((at) => !STANDS_ALONE.test(at));
  return damaged.length === 0 ? null : { now, damaged };
}

export function truncatedAtByte(pair, random) {
  const path = random.pick(pair.changed.filter((at) => (pair.after.get(at)?.length ?? 0) >= 40));
  if (path === undefined) return null;
  const bytes = pair.after.get(path);
  const cut = Math.floor(bytes.length * (LOWEST_CUT + random.next() * (HIGHEST_CUT - LOWEST_CUT)));
  // Half a comment at the end is not half-done work.
  const [partial, ...rest] = textOf(bytes.subarray(bytes.lastIndexOf(10, cut) + 1)).split("\n");
  if (isScript(path) && ![partial, ...rest].some(isCode)) return null;
  return cutShort(pair, path, bytes.subarray(0, cut));
}

export async function truncatedAtLine(pair, random) {
  const path = random.pick(pair.changed.filter((at) => pair.after.has(at) && !/\.json$/.test(at)));
  if (path === undefined) return null;
  const text = textOf(pair.after.get(path));
  const lines = text.split("\n");
  const told = isScript(path) ? codeOf(path, text).split("\n") : lines;
  for (let tries = 0; tries < TRIES; tries++) {
    const at = Math.floor(lines.length * (LOWEST_CUT + random.next() * (HIGHEST_CUT - LOWEST_CUT)));
    const isLost = told.slice(at).some((line) => line.trim() !== "");
    const rest = `${lines.slice(0, at).join("\n")}\n`;
    if (at < 1 || !isLost || !(await parses(path, rest))) continue;
    return cutShort(pair, path, Buffer.from(rest));
  }
  return null;
}

function cutShort(pair, path, bytes) {
  const state = inPlace(pair, path, bytes);
  const isUntold = endsAsBefore(textOf(pair.before.get(path)), textOf(bytes), isScript(path));
  return state && { ...state, isUntold, isGrown: isGrown(path, pair.before.get(path), bytes) };
}

const { isJournal } = pathClasses(NO_PATH_RULES);

/** A journal that only grew, by whole lines: that is append-only (DESIGN 8), which is whole wherever it stops. A new one grew from nothing. */
export function isGrown(path, before = Buffer.alloc(0), cut) {
  const isWholeBefore = before.length === 0 || before.at(-1) === 0x0a;
  return (
    isJournal(path) && isWholeBefore && cut.subarray(0, before.length).equals(before) && cut.at(-1) === 0x0a
  );
}

function inPlace(pair, path, bytes) {
  // Cut back to what was there before it is not half-done but not begun.
  if (pair.before.get(path)?.equals(bytes)) return null;
  return { now: finished(pair).set(path, bytes), damaged: [path] };
}

/**
 * The cut ends with the very statement (or paragraph) the file ended with before, and all of it is there: what lies there
 * is the old file with some of the edits, and no reader can know that more was to follow.
 */
export function endsAsBefore(before, cut, isSource) {
  return [lastPart, ...(isSource ? [] : [lastParagraph])].some((partOf) => {
    const [was, is] = [partOf(before), partOf(cut)];
    return was.length > 0 && was[0] === is[0] && is.length >= was.length;
  });
}

const linesOf = (text) => text.split("\n").map((line) => line.trimEnd());

/** From the last line that begins at the margin with a word. */
function lastPart(text) {
  const lines = linesOf(text).filter((line) => line !== "");
  return lines.slice(lines.findLastIndex((line) => /^\w/.test(line)));
}

/** Of a text: what stands below its last empty line; none where that says nothing, like the end of an example. */
function lastParagraph(text) {
  const lines = linesOf(text.trimEnd());
  const part = lines.slice(lines.lastIndexOf("") + 1);
  return /(?:\w\W*){8}/.test(part[0] ?? "") ? part : [];
}

/** The text with blanks in place of its comments. */
export function codeOf(path, text) {
  const { comments } = parseSync(path.slice(path.lastIndexOf("/") + 1), text, { sourceType: "unambiguous" });
  let code = text;
  for (const { start, end } of comments)
    code = code.slice(0, start) + code.slice(start, end).replace(/[^\n]/g, " ") + code.slice(end);
  return code;
}

const parsers = createParsers({ isAlone: true });

/** Scripts by the parser itself, as a module or not; the rest by the grammars there are: without one, any line will do. */
async function parses(path, text) {
  if (!isScript(path)) return (await parsers.parse(languageOf(path), path, text)).kind !== "broken";
  const name = path.slice(path.lastIndexOf("/") + 1);
  return ["unambiguous", "commonjs"].some(
    (sourceType) => parseSync(name, text, { sourceType }).errors.length === 0,
  );
}

/** A file that others name gets another name, and the work stops somewhere on the way. */
export function renameHalfDone(pair, random) {
  // Types name types, which stay where they are.
  const all = [...pair.after.keys()].filter((path) => isScript(path) && !/\.d\.[mc]?ts$/.test(path));
  const calledBy = new Map();
  for (const from of all)
    for (const { target, specifier } of namedBy(from, textOf(pair.after.get(from)), pair.after))
      if (
        isScript(target) &&
        target !== from &&
        !/(?:^|\/)index\.\w+$/.test(target) &&
        /\/[^/.]/.test(specifier)
      )
        calledBy.set(target, [
          ...(calledBy.get(target) ?? []).filter((one) => one.from !== from),
          { from, specifier },
        ]);
  const path = random.pick([...calledBy.keys()]);
  if (path === undefined) return null;
  const callers = calledBy.get(path);
  const fresh = path.replace(/([^/]+?)(\.\w+)$/, "$1-core$2");
  const now = finished(pair);
  const bytes = pair.after.get(path);
  const updated = ({ from, specifier }) => {
    const stem = specifier.replace(/([^/]+?)(\.[mc]?[jt]sx?)?$/, "$1-core$2");
    const text = textOf(now.get(from) ?? pair.after.get(from));
    now.set(
      from,
      Buffer.from(text.replaceAll(`"${specifier}"`, `"${stem}"`).replaceAll(`'${specifier}'`, `'${stem}'`)),
    );
  };
  const how = random.below(3);
  if (how === 0) now.set(fresh, bytes); // written under its new name, nothing else yet
  if (how === 1) {
    now.set(fresh, bytes).set(path, null); // moved, one caller left behind
    for (const caller of callers.slice(1)) updated(caller);
  }
  if (how === 2) now.set(path, null); // taken away, not written yet
  return { now, damaged: how === 0 ? [fresh] : how === 1 ? [fresh, path] : [path] };
}

export function stubInPlace(pair, random) {
  const path = random.pick(
    pair.changed.filter((at) => pair.after.has(at) && isScript(at) && pair.after.get(at).length >= 200),
  );
  if (path === undefined) return null;
  const stub = stubOf(path, textOf(pair.after.get(path)), random);
  return stub === null ? null : inPlace(pair, path, Buffer.from(stub));
}
