/**
 * What the end of a source says about whether it is the end: what keeps a file that was cut at a line that still parses
 * from looking whole. Pure.
 */
import { count } from "../../../text/counting.ts";
import type { Delta, FileFacts, SourceFacts } from "../../facts/known/file-facts.ts";
import { nameOfPath } from "../../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../../facts/member.ts";

/** Of a shorter file any edit touches the end. */
export const OPEN_END_MIN_LINES = 10;
/** A new file of fewer lines is as likely whole as not. */
export const NEW_MIN_LINES = 4;
/** Lines lost at the end of a file of any kind, with fewer in their place. */
const LOST_LINES = 2;

export const isEndLost = ({ atEnd }: Delta): boolean => atEnd.gone - atEnd.added >= LOST_LINES;

/** Evidence that the end may be missing; null: there is none. */
export function ofSource({ path, before, delta }: GroupMember, after: FileFacts): string | null {
  const [was, is] = [before?.source ?? null, after.source];
  // What a compiler ends with is the end, of a file that gives something.
  if (is && after.hasKnownEnd && !after.hasBlankEnd && !(is.isEndBare && is.exports.length === 0))
    return null;
  const isGiven = is !== null && isList(is) && lostBy(was, is).length === 0 && !isFormerMiddle(was, is);
  if (!before && !after.isLastLineWhole && !(isGiven && is.isEndStopped))
    return `${path}: its last line has no end`;
  if (after.hasBlankEnd && !before?.hasBlankEnd && !isGiven) return `${path}: it ends with an empty line`;
  if (before && delta && isEndLost(delta) && !(isGiven && !isSameEnd(was, is)))
    return `${path}: ${count(delta.atEnd.gone, "line")} went at its end, and ${delta.atEnd.added} came`;
  if (!is) return null;
  if (before && delta && after.language === "python" && delta.atEnd.gone + delta.atEnd.added > 0)
    return `${path}: its last lines are not the ones it had, and nothing closes them`;
  if (before && delta && !after.isLastLineWhole && delta.atEnd.added > 0 && !is.isEndStopped)
    return `${path}: its last line has no end`;
  // Nothing ends the statement, and a line of it went: as of a chain of calls without semicolons.
  if (before && delta && !is.isEndStopped && delta.atEnd.gone > delta.atEnd.added)
    return `${path}: ${count(delta.atEnd.gone, "line")} went at its end, and ${delta.atEnd.added} came`;
  return breakOf(path, was, is) ?? (was ? ofChanged(path, was, is, after, before) : ofNew(path, is, after));
}

/** Statements that look the same are told by their number: with one less, it is another one that is last. */
export const isSameEnd = (was: SourceFacts | null, is: SourceFacts): boolean =>
  was !== null &&
  plainly(was.lastStatement) === plainly(is.lastStatement) &&
  (is.lastStatement.startsWith("set ") || countOf(is, is.lastStatement) >= countOf(was, was.lastStatement));

const countOf = ({ statements }: SourceFacts, wanted: string): number =>
  statements.filter((one) => one === wanted).length;

const isList = ({ isEndClosed, lastStatement }: SourceFacts): boolean => isEndClosed && lastStatement !== "";

/** Signs of a break that are none of an end, whatever the end looks like. */
function breakOf(path: string, was: SourceFacts | null, is: SourceFacts): string | null {
  if (is.isEndLoose && !was?.isEndLoose)
    return `${path}: its last calls have no semicolon, as other statements have`;
  if (is.hasEndComment && !was?.hasEndComment)
    return `${path}: what its last comment is about may be missing`;
  const missed = ofMissed(path, was, is);
  if (missed !== null) return missed;
  if (is.lastStatement !== "" && isFormerMiddle(was, is))
    return `${path}: it ended with ${inWords(was?.lastStatement)}, which is gone, and now with what stood above it`;
  return null;
}

/** What is wanted and not there is broken, whoever saw the end. */
export const ofUnmet = ({ path, before }: GroupMember, is: SourceFacts): string | null =>
  ofMissed(path, before?.source ?? null, is) ?? (before ? null : ofEmptyList(path, is));

function ofMissed(path: string, was: SourceFacts | null, is: SourceFacts): string | null {
  const missed = functionsGone(was, is).filter((name) => is.calledInside.includes(name));
  return missed.length > 0 ? `${path}: it calls ${missed.join(", ")}, whose function is gone` : null;
}

const ofEmptyList = (path: string, { lastStatement, isEndClosed }: SourceFacts): string | null =>
  LIST.test(lastStatement) && !isEndClosed
    ? `${path}: it ends with ${inWords(lastStatement)}, and what that gives is not there`
    : null;

/** Functions of the top level that went: a parameter of the same name elsewhere hides that they are still called. */
const functionsGone = (was: SourceFacts | null, is: SourceFacts): string[] =>
  (was?.statements ?? []).flatMap((one) =>
    one.startsWith(FUNCTION) && !is.statements.includes(one) ? [one.slice(FUNCTION.length)] : [],
  );

/** It ends with a statement that others followed, and the last of those is gone. */
const isFormerMiddle = (was: SourceFacts | null, is: SourceFacts): boolean =>
  was !== null &&
  !isSameEnd(was, is) &&
  was.statements.includes(is.lastStatement) &&
  !is.statements.some((one) => plainly(one) === plainly(was.lastStatement));

function ofNew(path: string, is: SourceFacts, after: FileFacts): string | null {
  if (is.lastStatement === "" && after.size > 0) return `${path}: new, and there is no code in it`;
  if (PREAMBLE.test(is.lastStatement)) return `${path}: new, and it only says that it will give something`;
  if (is.isEndBare && is.exports.every((name) => name === "__esModule"))
    return `${path}: new, and it gives nothing of what it declares`;
  if (givesNothing(is) && TAKES.test(is.lastStatement)) return `${path}: new, and it ends with what it takes`;
  const isShort = after.lines < NEW_MIN_LINES;
  const isShortRun = isShort && (is.isEndMost || PRINTS.test(is.lastStatement));
  if (givesNothing(is) && !isRun(path) && !isShortRun) return `${path}: new, and it gives nothing to anybody`;
  const empty = ofEmptyList(path, is);
  if (empty !== null) return empty;
  const isTypes = TYPES.test(path);
  if (is.lastStatement.startsWith("ExportAllDeclaration "))
    return `${path}: it could go on after ${inWords(is.lastStatement)}`;
  if (isHandedOn(is)) return `${path}: it hands on what others give, and could go on`;
  if ((isShort && !isTypes) || is.isEndClosed) return null;
  // One block around everything: but of several things that are given one by one it may be the first.
  if (is.isEndMost && !is.isEndBare && !isTypes && !ONE_OF_MANY.test(is.lastStatement)) return null;
  if (isNamesake(path, is, { isShort })) return null;
  if (isHelper(is)) return null;
  return `${path}: it could go on after ${inWords(is.lastStatement)}`;
}

/**
 * It ends with the one thing it is named after. A test is named after what it tests; types that have the name of the file
 * stand there for what follows; of types in a file of types functions are given in rows.
 */
function isNamesake(
  path: string,
  { lastStatement }: SourceFacts,
  { isShort }: { readonly isShort: boolean },
): boolean {
  const name = /^(?:export \w+|set (?:module\.)?exports\.) ?([\w$]+)$/.exec(lastStatement)?.[1];
  if (name === undefined || plain(name) !== plain(nameOfPath(path).replace(/(?:\.d)?\.\w+$/, "")))
    return false;
  if (TYPES.test(path))
    return isShort && !/^export (?:TSDeclareFunction|FunctionDeclaration)/.test(lastStatement);
  return !isRun(path) && !/^export TS(?:Interface|TypeAlias)/.test(lastStatement);
}

function ofChanged(
  path: string,
  was: SourceFacts,
  is: SourceFacts,
  after: FileFacts,
  before: FileFacts | null,
): string | null {
  if (was.isEndMarked && !is.isEndMarked) return `${path}: it ended with \`export {}\`, and no longer does`;
  if (was.lastStatement !== "" && is.lastStatement === "") return `${path}: there is no code left in it`;
  // A function below the old end, which is still there.
  const isHelped =
    isHelper(is) && (was.lastStatement.startsWith(FUNCTION) || is.statements.includes(was.lastStatement));
  if (isList(was) && !is.isEndClosed && !is.isEndMost && !isHelped)
    return `${path}: it ended with what it gives, and no longer does`;
  if (was.isEndClosed && is.isEndBare && !isHelped)
    return `${path}: it ended with what it gives, and no longer does`;
  const lost = lostBy(was, is);
  // One block around everything, then and now: an edit inside it.
  const isBlock = was.isEndMost && is.isEndMost && kindOf(was) === kindOf(is);
  if (isBlock && lost.length === 0 && !ONE_OF_MANY.test(is.lastStatement)) return null;
  if (isSameEnd(was, is) && isHalved(was, is))
    return `${path}: ${inWords(is.lastStatement)} had ${was.endLines} lines, and now has ${is.endLines}: another one may be missing below it`;
  if (isSameEnd(was, is))
    return lost.length > 0 && (is.isEndClosed || TYPES.test(path) || was.lastStatement !== is.lastStatement)
      ? `${path}: it no longer gives ${lost.join(", ")}`
      : null;
  if (LIST.test(is.lastStatement) && !is.isEndClosed)
    return `${path}: it ends with ${inWords(is.lastStatement)}, and what that gives is not there`;
  const isLong = TYPES.test(path) || Math.max(before?.lines ?? 0, after.lines) >= OPEN_END_MIN_LINES;
  if (!isLong && isHandedOn(is)) return `${path}: it hands on what others give, and could go on`;
  if (!isLong)
    return lost.length > 0
      ? `${path}: its end changed, and it no longer gives ${lost.join(", ")}`
      : isShorter(was, is)
        ? `${path}: it ended with ${inWords(was.lastStatement)}, which is gone, and has fewer statements`
        : null;
  // Were one of the functions missing, what needs it would use a name that nothing defines (loose-names).
  if (lost.length === 0 && (is.isEndClosed || isHelped)) return null;
  return `${path}: it ended with ${inWords(was.lastStatement)}, and now with ${inWords(is.lastStatement)}`;
}

/** The statement it ended with, with half of it gone: as when what it did is to be done by one that is not written yet. */
const isHalved = (was: SourceFacts, is: SourceFacts): boolean =>
  was.endLines >= OPEN_END_MIN_LINES &&
  is.endLines * 2 <= was.endLines &&
  // What was written in place is given by its name now.
  !(isList(is) && is.endLines === 1 && is.isEndStopped);

/** Of a short file any edit touches the end; one that only took something away may be half of an edit. */
const isShorter = (was: SourceFacts, is: SourceFacts): boolean =>
  is.statements.length < was.statements.length && !is.statements.includes(was.lastStatement);

/** What it gave and no longer gives. As a module it gives whole what it gave as one thing, and sets on that what it gave beside it. */
function lostBy(was: SourceFacts | null, is: SourceFacts): string[] {
  if (!was) return [];
  const isModuleNow = is.isModule && !was.isModule;
  const isWhole = isModuleNow && was.exports.includes("default") && is.exports.includes("default");
  const isKept = (name: string): boolean =>
    is.exports.includes(name) ||
    (isModuleNow && name === "__esModule") ||
    (isWhole && (!isSetAlone(was, name) || is.statements.some((one) => plainly(one) === `set .${name}`)));
  return was.exports.filter((name) => !isKept(name));
}

/** By a statement of its own, and not as a part of the one thing that is given. */
const isSetAlone = ({ statements }: SourceFacts, name: string): boolean =>
  statements.some((one) => plainly(one) === `set .${name}`);

/** Only lines that give what another file gives, each its own: after any of them more may come. */
const isHandedOn = ({ statements, references, functions }: SourceFacts): boolean =>
  functions === 0 &&
  statements.length > 0 &&
  references.filter(({ specifier }) => specifier.startsWith(".")).length >= statements.length &&
  statements.every((one) => /^set (?:module\.)?exports\s*[.[]/.test(one));

/** Nothing, for all that can be read off: as when the list of exports is yet to come. */
const givesNothing = ({ exports, stars, areExportsKnown, lastStatement }: SourceFacts): boolean =>
  areExportsKnown && exports.length + stars.length === 0 && lastStatement !== "";

/** A function below those that need it, in a file that gives something. */
const isHelper = ({ exports, lastStatement, isEndUsed }: SourceFacts): boolean =>
  exports.length > 0 && isEndUsed && HELPER.test(lastStatement);
const FUNCTION = "FunctionDeclaration ";
const HELPER = /^(?:Function|Variable|Class)Declaration /;

/** A few lines that end by printing are a program. */
const PRINTS = /^call console\.\w+ /;
/** What compilers write first. */
const PREAMBLE = /^set exports\.__esModule$|^call Object\.defineProperty (?:exports, )?["']__esModule["']/;
const TAKES = /^(?:ImportDeclaration|call require) /;
const ONE_OF_MANY = /^(?:set (?:module\.)?exports\s*[.[]|export )/;

/** Tests and programs are run, not taken: they give nothing when they are whole. */
const isRun = (path: string): boolean => RUN_BY_PLACE.test(path) || RUN_BY_NAME.test(nameOfPath(path));
const RUN_BY_PLACE = /(?:^|\/)(?:tests?|__tests__|specs?|examples?|benchmarks?|bench|scripts?|bin|stories)\//;
const RUN_BY_NAME =
  /^(?:main|cli|server|app|__main__|conftest|setup|test|bench|worker)\.|\.(?:test|spec|stories)\.\w+$|^test_|_test\.(?:py|go)$/;

/** A statement as a person would call it: its kind as parsers have it (`FunctionDeclaration`, `function_item`) is none of his words. */
export const inWords = (statement = "nothing"): string =>
  statement.replace(PARSED_KIND, (_, lead: string | undefined, kind: string) => {
    const words = kind
      .replace(/^TS(?=[A-Z])/, "")
      .replace(/([a-z])(?=[A-Z])/g, "$1_")
      .toLowerCase()
      .split("_")
      .filter((word) => !KIND_ENDS.has(word));
    return `${lead ?? ""}${words.join(" ") || "a statement"}`;
  });
const PARSED_KIND =
  /^(export )?((?:[A-Z][a-z]*)+(?:Declaration|Statement|Assignment|Expression)|TS[A-Z]\w+|[a-z]+(?:_[a-z]+)+)(?=\s|$)/;
const KIND_ENDS: ReadonlySet<string> = new Set([
  "declaration",
  "definition",
  "expression",
  "item",
  "specifier",
  "statement",
]);

const kindOf = ({ lastStatement }: SourceFacts): string => lastStatement.split(" ", 1)[0] ?? "";

/** `x.a = ...` gives the same whatever the thing is called that is given, and however the name is written. */
const plainly = (statement: string): string =>
  statement
    .replace(/^(set .*)\[["']([\w$]+)["']\]$/, "$1.$2")
    .replace(/^set (?:module\.exports|[\w$]+)\.(?=[\w$]+$)/, "set .");

/** Types are written a line each: after any of them more may come. */
const TYPES = /\.d\.[mc]?ts$/;
const LIST = /^(?:TSExportAssignment|ExportDefaultDeclaration|export list) /;
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
