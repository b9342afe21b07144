// Half-done states of a commit, in any language. Each cut gives the files as they would lie there and which of them are damaged; null where
// the commit has nothing to cut so. `shows`: somebody who reads the tree could see it; left out: whether it does is asked of the text
// (`usesWhatIsMissing`), never of the judge.
import { languageOf, natureOf } from "../../dist/triage/facts/paths/languages.js";
import { hunksOf, linesOf, withHunks } from "./hunks.mjs";
import { givenTo, takenIn } from "./signatures.mjs";

const LOWEST_CUT = 0.15;
const HIGHEST_CUT = 0.95;

const finished = ({ after, changed }) => new Map(changed.map((path) => [path, after.get(path) ?? null]));
const textOf = (bytes) => bytes?.toString("utf8") ?? "";
const pickMost = (list, random) => list.filter(() => random.next() < 0.5);

/** Some of a commit's files, whole: the others are as they were. */
export function someFiles(pair, random) {
  if (pair.changed.length < 2) return null;
  const kept = pickMost(pair.changed, random);
  if (kept.length === 0 || kept.length === pair.changed.length) return null;
  const all = finished(pair);
  return { now: new Map(kept.map((path) => [path, all.get(path)])), damaged: kept };
}

/** Some of a file's hunks. */
export function someHunks(pair, random) {
  const path = random.pick(pair.changed.filter((at) => pair.before.has(at) && pair.after.has(at)));
  if (path === undefined) return null;
  const before = textOf(pair.before.get(path));
  const hunks = hunksOf(before, textOf(pair.after.get(path)));
  if (hunks.length < 2) return null;
  const kept = pickMost(hunks, random);
  if (kept.length === 0 || kept.length === hunks.length) return null;
  return inPlace(pair, path, withHunks(before, kept));
}

export function cutAtByte(pair, random) {
  const path = random.pick(pair.changed.filter((at) => (pair.after.get(at)?.length ?? 0) >= 60));
  if (path === undefined) return null;
  const bytes = pair.after.get(path);
  const at = Math.floor(bytes.length * (LOWEST_CUT + random.next() * (HIGHEST_CUT - LOWEST_CUT)));
  // At the end of a line it is another kind.
  if (bytes[at - 1] === 10 || bytes[at] === 10) return null;
  const state = inPlace(pair, path, bytes.subarray(0, at));
  // Of a file that ended with a whole line everybody sees it; a new one may have been written so.
  return state && { ...state, shows: pair.before.get(path)?.at(-1) === 10 };
}

/** The file ends early, after a whole line. Of prose and journals nobody can see that. */
export function cutAtLine(pair, random) {
  const path = random.pick(pair.changed.filter((at) => pair.after.has(at)));
  if (path === undefined) return null;
  const lines = linesOf(textOf(pair.after.get(path)));
  if (lines.length < 6) return null;
  const at = Math.floor(lines.length * (LOWEST_CUT + random.next() * (HIGHEST_CUT - LOWEST_CUT)));
  if (!lines.slice(at).some((line) => /\w/.test(line))) return null;
  return inPlace(pair, path, lines.slice(0, at).join(""));
}

/** Some lines from the middle of what was added are not there: a list, a body, a table that was being written. */
export function halfList(pair, random) {
  const path = random.pick(pair.changed.filter((at) => pair.after.has(at)));
  if (path === undefined) return null;
  const before = textOf(pair.before.get(path));
  const hunks = hunksOf(before, textOf(pair.after.get(path)));
  const long = hunks.filter(({ lines }) => lines.length >= 4);
  const hunk = random.pick(long);
  if (hunk === undefined) return null;
  const keep = 1 + random.below(hunk.lines.length - 2);
  const cut = hunks.map((one) => (one === hunk ? { ...one, lines: one.lines.slice(0, keep) } : one));
  return inPlace(pair, path, withHunks(before, cut));
}

const IMPORT =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s+[\w:]+|(?:const|let|var)\s.*\brequire\(|require(?:_relative)?\s|#\s*include\b|\t"[\w./-]+"$|use\s+[\w\\]+;)/;

/** A line that the commit added to name what it uses is missing; what uses it is there. */
export function missingImport(pair, random) {
  const found = pair.changed.flatMap((path) => {
    if (!pair.before.has(path) || !pair.after.has(path)) return [];
    const had = new Set(linesOf(textOf(pair.before.get(path))));
    const lines = linesOf(textOf(pair.after.get(path)));
    return lines.flatMap((line, at) =>
      IMPORT.test(line.trimEnd()) && !had.has(line) ? [{ path, lines, at }] : [],
    );
  });
  const one = random.pick(found);
  if (one === undefined) return null;
  const rest = one.lines.filter((_, at) => at !== one.at);
  const names = (one.lines[one.at].match(/[A-Za-z_]\w+/g) ?? []).filter((name) => !KEYWORDS.has(name));
  const isUsed = names.some((name) => rest.some((line) => !IMPORT.test(line) && wordIn(line, name)));
  if (!isUsed) return null;
  return inPlace(pair, one.path, rest.join(""));
}
const KEYWORDS = new Set([
  "import",
  "from",
  "use",
  "const",
  "let",
  "var",
  "require",
  "include",
  "as",
  "type",
]);

/** A file that the commit moved: written anew and not yet taken away, or taken away and not yet written. */
export function renameHalfDone(pair, random) {
  const { before, after, changed } = pair;
  const gone = changed.filter((path) => before.has(path) && !after.has(path));
  const fresh = changed.filter((path) => !before.has(path) && after.has(path));
  const moves = gone.flatMap((from) =>
    fresh.filter((to) => isMuchTheSame(before.get(from), after.get(to))).map((to) => ({ from, to })),
  );
  const move = random.pick(moves);
  if (move === undefined) return null;
  const now = finished(pair);
  const isWritten = random.next() < 0.5;
  now.delete(isWritten ? move.from : move.to);
  return { now, damaged: [isWritten ? move.to : move.from], shows: true };
}

function isMuchTheSame(a, b) {
  const [was, is] = [a, b].map((bytes) => linesOf(textOf(bytes)));
  const had = new Set(was);
  const same = is.filter((line) => had.has(line)).length;
  return same >= 4 && same / Math.max(was.length, is.length) > 0.6;
}

/** What defines a name is changed, who calls it is not: only the definitions' files of the commit are there. */
export function signatureWithoutCallers(pair, random) {
  // A page's examples define nothing that others call.
  const isCode = (path) => natureOf(languageOf(path)) === "source";
  const definers = pair.changed.filter(
    (path) => isCode(path) && pair.before.has(path) && definedNew(pair, path).length > 0,
  );
  const definer = random.pick(definers);
  if (definer === undefined) return null;
  const callers = pair.changed.filter(
    (path) =>
      path !== definer &&
      pair.before.has(path) &&
      removedNames(pair, definer).some((name) => callsIn(textOf(pair.before.get(path)), name)),
  );
  if (callers.length === 0) return null;
  const now = finished(pair);
  for (const path of callers) now.delete(path);
  return { now, damaged: [definer], shows: true };
}

/** A function takes more or fewer than before, and who calls it is as it was: by text, and only where that does not compile or fails. */
export function parametersWithoutCallers(pair, random) {
  const found = pair.changed.flatMap((path) => {
    const [had, has] = [pair.before, pair.after].map((tree) => takenIn(path, textOf(tree.get(path))));
    return [...has].flatMap(([name, takes]) => {
      const was = had.get(name);
      if (!was || (was.least === takes.least && was.most === takes.most)) return [];
      const callers = pair.changed.filter((other) => isCallerLeft(pair, path, other, name, was, takes));
      return callers.length > 0 && isAlone(pair, path, name) ? [{ path, callers }] : [];
    });
  });
  const one = random.pick(found);
  if (one === undefined) return null;
  const now = finished(pair);
  for (const path of one.callers) now.delete(path);
  return { now, damaged: [one.path], shows: true };
}

/** It called the function as it was, which does not fit as it is, and the commit made it fit: so this function is meant. */
function isCallerLeft({ before, after }, definer, path, name, was, takes) {
  const text = textOf(before.get(path));
  if (path === definer || text === "" || definedIn(text).has(name)) return false;
  const fits = (count, { least, most }) => count >= least && count <= most;
  return (
    givenTo(text, name).some((count) => fits(count, was) && !fits(count, takes)) &&
    givenTo(textOf(after.get(path)), name).some((count) => fits(count, takes) && !fits(count, was))
  );
}

/** Who else has one of that name may be meant. */
const isAlone = ({ before }, definer, name) =>
  [...before].every(([path, bytes]) => path === definer || !definedIn(textOf(bytes)).has(name));

const MIGRATION =
  /(?:^|\/)(?:migrations?|migrate|drizzle|alembic\/versions)\/.*\.(?:sql|py|rb|php|[jt]s|go)$/;

/**
 * All of a commit but the migrations that change the tables its code speaks of: no byte of what is there shows it. The migration changes the shape of
 * a table, and a word that came into the code is a name of the migration's; by text alone.
 */
export const withoutMigration = (pair) => lessMigrations(pair, true);

/** The same where no code names what the migration makes: other values in old columns, a trigger, an index. Nobody could tell these. */
export const withoutUnnamedMigration = (pair) => lessMigrations(pair, false);

function lessMigrations(pair, isNamed) {
  const added = pair.changed.filter(
    (path) => MIGRATION.test(path) && !pair.before.has(path) && pair.after.has(path),
  );
  const rest = pair.changed.filter((path) => !MIGRATION.test(path) && pair.after.has(path));
  const code = rest.filter((path) => natureOf(languageOf(path)) === "source");
  if (added.length === 0 || code.length === 0) return null;
  const names = new Set(added.flatMap((path) => namesOfMigration(path, textOf(pair.after.get(path)))));
  const isOfShape = added.some((path) => SHAPES.test(textOf(pair.after.get(path))));
  const speaks = rest.some((path) => freshWords(pair, path).some((word) => names.has(word)));
  if ((isOfShape && speaks) !== isNamed) return null;
  const now = finished(pair);
  for (const path of added) now.delete(path);
  return { now, damaged: code };
}

/** It makes, changes or drops a table or a column; another one only changes what stands in them. */
const SHAPES =
  /\b(?:create|alter|drop|rename)[\s_]*(?:table|column|type)|\b(?:add|remove|alter|rename|drop|modify|change)[\s_]?(?:column|field|model|reference)|\bCreateModel\b|\bSync2?\(/i;

/** Of SQL all words, of other languages those in quotes; `time_trial` and `timeTrial` are one. */
function namesOfMigration(path, text) {
  const said = /\.sql$/.test(path)
    ? text.replace(/--[^\n]*/g, "")
    : [...text.matchAll(/(["'`])([^"'`\n]{3,200})\1/g)].map(([, , inside]) => inside).join(" ");
  return plainWords(said).filter((word) => !OF_SQL.has(word));
}
const plainWords = (text) =>
  (text.match(/[A-Za-z_]\w{3,}/g) ?? []).map((word) => word.replaceAll("_", "").toLowerCase());
const OF_SQL = new Set(
  "table column alter create index where update delete insert into values null default references constraint foreign primary text integer bigint varchar boolean timestamp true false unique drop rename exists only cascade using from select with type".split(
    " ",
  ),
);
function freshWords({ before, after }, path) {
  const had = new Set(plainWords(textOf(before.get(path))));
  return plainWords(textOf(after.get(path))).filter((word) => !had.has(word));
}

const DEFINES =
  /\b(?:func(?:\s*\([^)]*\))?|def|fn|class|struct|enum|trait|interface|function|type|module|macro_rules!|static|const|let|var)\s+(?!instanceof\b)([A-Za-z_]\w{3,})/g;
/** Methods and fields of Java have no word of their own in front. */
const DEFINES_MEMBER =
  /^[ \t]+(?:(?:public|private|protected|static|final|abstract|synchronized|default|native)\s+)+(?:<[^>]*>\s+)?[\w.]+(?:<[^;=(){}]*>)?(?:\[\])*\s+([A-Za-z_]\w{3,})\s*(?=[(;=])/gm;
const definedIn = (text) =>
  new Set([...text.matchAll(DEFINES), ...text.matchAll(DEFINES_MEMBER)].map(([, name]) => name));
const definedNew = ({ before, after }, path) => {
  const had = definedIn(textOf(before.get(path)));
  return [...definedIn(textOf(after.get(path)))].filter((name) => !had.has(name));
};
/** Names others could take that it defined before and does not even mention now: who still names them names nothing. */
const removedNames = ({ before, after }, path) => {
  const text = textOf(after.get(path));
  const shared = textOf(before.get(path)).replace(LOCAL, "");
  return [...definedIn(shared)].filter((name) => !wordIn(text, name));
};
/** Who has one of that name itself means its own. */
const callsIn = (text, name) => wordIn(text, name) && !definedIn(text).has(name);
/** A variable inside of a function is nobody else's: another file that has its name means another thing. */
const LOCAL = /^[ \t]+(?:const|let|var)\s.*$/gm;

const wordIn = (text, word) => new RegExp(`(?<![\\w$])${word.replace(/[$]/g, "\\$")}(?![\\w$])`).test(text);

function inPlace(pair, path, content) {
  const bytes = Buffer.from(content);
  if (pair.before.get(path)?.equals(bytes) || pair.after.get(path)?.equals(bytes)) return null;
  return { now: finished(pair).set(path, bytes), damaged: [path] };
}

/**
 * The tree as it lies there uses a name that the finished commit defines and that nothing in it defines now: the missing half
 * shows in the bytes, whatever the agent says. By text alone, so that what is measured does not make the labels. Only code uses names:
 * a text may name what is yet to come.
 */
export function usesWhatIsMissing(pair, { now, damaged }) {
  const at = (path) => (now.has(path) ? now.get(path) : pair.before.get(path));
  const missing = pair.changed.flatMap((path) => {
    const have = definedIn(textOf(at(path)));
    const had = definedIn(textOf(pair.before.get(path)));
    const text = textOf(pair.after.get(path));
    const shared = definedIn(text.replace(LOCAL, ""));
    return [...definedIn(text)]
      .filter((name) => !have.has(name) && !had.has(name))
      .map((name) => ({ name, isUsedBy: (user) => shared.has(name) || user === path }));
  });
  const sources = damaged.filter((path) => natureOf(languageOf(path)) === "source");
  if (missing.length === 0 || sources.length === 0) return false;
  const everywhere = [...new Set([...pair.before.keys(), ...now.keys()])];
  return missing.some(
    ({ name, isUsedBy }) =>
      sources.some((path) => isUsedBy(path) && wordIn(addedText(pair, path, at(path)), name)) &&
      !everywhere.some((path) => isGivenIn(textOf(at(path)), name)),
  );
}

/** Also by a test that stands in for it (`name: vi.fn()`): that one runs without it. */
const isGivenIn = (text, name) =>
  definedIn(text).has(name) || [...text.matchAll(STAND_IN)].some(([, one]) => one === name);
const STAND_IN = /^\s+([A-Za-z_]\w{3,}):\s*(?:vi|jest|sinon)\.\w+\(/gm;

function addedText({ before }, path, bytes) {
  const had = new Set(linesOf(textOf(before.get(path))));
  const said = /\.rs$/.test(path) ? SAID_RUST : SAID;
  return linesOf(textOf(bytes))
    .filter((line) => !had.has(line) && !IMPORT.test(line))
    .map((line) => line.replace(said, membersIn))
    .join("");
}

/** A comment or a text of one line names what it likes ("--null"); only a member that it reads (`{{ .Name }}`) is used. */
const SAID = /(?<!:)\/\/.*|^\s*(?:#\s|\*[\s/]|\/\*).*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
/** A quote alone names a lifetime there. */
const SAID_RUST = /(?<!:)\/\/.*|^\s*(?:\*[\s/]|\/\*).*|"(?:[^"\\\n]|\\.)*"/g;
const membersIn = (said) => (/^["']/.test(said) ? (said.match(/\.[A-Za-z_]\w*/g) ?? []).join(" ") : "");

export const CUTS = {
  "some of its files": someFiles,
  "some of a file's hunks": someHunks,
  "cut at a byte": cutAtByte,
  "cut at a line": cutAtLine,
  "half a list": halfList,
  "missing import": missingImport,
  "rename half done": renameHalfDone,
  "changed name without its callers": signatureWithoutCallers,
  "changed parameters without its callers": parametersWithoutCallers,
  "model without its migration": withoutMigration,
  "code without a migration that it does not name": withoutUnnamedMigration,
};
