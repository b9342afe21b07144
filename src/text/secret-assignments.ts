/**
 * Secrets given to a name: in env files, YAML, JSON (also inside a string of JSON), TOML, INI, connection
 * strings, query strings and code. A telling name makes any literal a secret; under another name only a value
 * that looks random is one (rule `entropy`).
 */
import { type LongRuns, longRuns } from "./long-runs.ts";
import type { SecretFinding } from "./redaction-marker.ts";
import {
  isMixed,
  isPlaceholder,
  looksOpaque,
  looksRandom,
  readsAsCode,
  readsAsProse,
} from "./secret-literal.ts";
import {
  isPublicName,
  MAX_NAME_CHARS,
  mayBeTelling,
  type SecretClass,
  secretClassOf,
} from "./secret-names.ts";

/** A name begins once per word, so that long runs of letters are read once; blanks around the sign are few. */
const ASSIGNMENT = new RegExp(
  [
    `(?<![A-Za-z0-9_])(?<name>[A-Za-z_][A-Za-z0-9_.-]{0,${MAX_NAME_CHARS - 1}})`,
    // The end of a quoted name or of an index: "name", \"name\", env['name'].
    "(?:\\\\{0,7}[\"'`])?\\]?",
    String.raw`[ \t]{0,20}`,
    // The sign, also after a type: `name: string = "..."`.
    String.raw`(?<sign>:[ \t]?[A-Za-z_][\w<>[\].|]{0,40}[ \t]=(?![=>])|[!=]={1,2}|:=|=>|=|:(?!:))`,
    String.raw`[ \t]{0,20}`,
  ].join(""),
  "g",
);
/** A space in a name: "API key: ...". */
const NAME_BEFORE = /(?:api|access|secret|private|auth|signing|master|session)[ ]$/i;
const QUOTED = /[fbruFBRU]{0,2}(\\{0,7})(["'`])/y;
const BLOCK = /[|>][-+0-9]{0,2}[ \t]*\r*\n([ \t]+)(\S[^\r\n]*(?:\r*\n\1[^\r\n]*){0,63})/y;
const BARE = /[^\s\0"'`,;&<>(){}[\]|]+/y;
/** A value is judged by its beginning: with one name inside the other, each would be read to the end. */
const MAX_JUDGED_CHARS = 512;
const MAX_BARE_CHARS = 1024;
/** Before the only assignment of a line: indentation, a line's number, a list or diff sign, `export`. */
const LINE_START =
  /(?:^|\n)(?<indent>[ \t]*)(?:\d{1,6}[:→|\t ][ \t]*)?(?:[-+>*#][ \t]*)?(?:export |set |setenv |ENV |ARG )?["']?$/;
const SCHEME = /^(?:Bearer|Basic|Token|Digest) +/i;
const MIN_SECRET_CHARS = 4;
const MIN_TOKEN_CHARS = 8;
/** More indentation than this is no line of its own. */
const MAX_LINE_START_CHARS = 60;

interface Value {
  readonly start: number;
  readonly end: number;
  /** How it is written, which tells how much it takes to be a literal. */
  readonly form: "quoted" | "env-line" | "line" | "inline";
  /** `name= value`: more likely the padding of base64 and the next word. */
  readonly isLopsided: boolean;
}

/** `raw` and `view` have the same length; `view` has line feeds where `raw` has their escapes. */
export function findAssignments(raw: string, view: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  const assignment = new RegExp(ASSIGNMENT);
  for (let match = assignment.exec(view); match !== null; match = assignment.exec(view)) {
    const { name = "", sign = "" } = match.groups ?? {};
    const isTight = match[0].endsWith(sign);
    const place = { sign, name, start: match.index, at: assignment.lastIndex, isTight };
    const isLopsided = sign === "=" && !isTight && /\S=\s+$/.test(match[0]);
    const value = valueAt(raw, view, place);
    const before = NAME_BEFORE.exec(view.slice(Math.max(0, match.index - 12), match.index))?.[0] ?? "";
    const finding = value === null ? null : judge(before + name, { ...value, isLopsided }, view);
    if (finding === null) continue; // The value may hold assignments of its own (a query string, JSON in a string).
    const end = finding.end - place.at === MAX_BARE_CHARS ? endOfBare(view, finding.end) : finding.end;
    found.push({ ...finding, end });
    assignment.lastIndex = Math.max(place.at, end);
  }
  return found;
}

/** Is a literal under this name a secret? For JSON, where name and value are known exactly. */
export function isSecretValue(name: string, value: string): boolean {
  const secretClass = secretClassOf(name);
  return secretClass !== null && isSecretLiteral(secretClass, value.slice(0, MAX_JUDGED_CHARS), "quoted");
}

function judge(name: string, value: Value, view: string): SecretFinding | null {
  const { start, end, form } = value;
  const text = view.slice(start, Math.min(end, start + MAX_JUDGED_CHARS));
  const secretClass = secretClassOf(name);
  if (secretClass !== null) {
    const scheme = SCHEME.exec(text)?.[0].length ?? 0;
    const isVerb = /^pass$/i.test(name) && (form === "line" || form === "inline");
    if (isVerb || !isSecretLiteral(secretClass, text.slice(scheme), form)) return null;
    return { rule: secretClass, start: start + scheme, end };
  }
  const isWhole = form !== "inline" || endsThere(view, end);
  const isRandom =
    isWhole && !value.isLopsided && end - start === text.length && looksRandom(text) && !isPublicName(name);
  return isRandom ? { rule: "entropy", start, end } : null;
}

function isSecretLiteral(secretClass: SecretClass, value: string, form: Value["form"]): boolean {
  if (value.trim().length < MIN_SECRET_CHARS || isPlaceholder(value)) return false;
  if (readsAsProse(value)) return false;
  // Only a password may be a plain word, or be called after what it is.
  if (secretClass === "token") {
    if (value.length < MIN_TOKEN_CHARS || !isMixed(value) || secretClassOf(value) !== null) return false;
  }
  return !readsAsCodeIn(form, value);
}

/** Between quotes and on a line of an env file everything is a literal. */
function readsAsCodeIn(form: Value["form"], value: string): boolean {
  switch (form) {
    case "quoted":
    case "env-line":
      return false;
    case "line":
      // `password: hunter` is YAML, `password: userPassword` and `token = newToken` are code.
      if (secretClassOf(value) !== null) return true;
      return readsAsCode(value) && (/[.([$A-Z_]|::/.test(value) || value.length < 6);
    case "inline":
      return readsAsCode(value) || secretClassOf(value) !== null;
    default:
      return form satisfies never;
  }
}

interface AssignmentPlace {
  readonly name: string;
  readonly sign: string;
  /** Where the name begins, and where the value does. */
  readonly start: number;
  readonly at: number;
  /** No blank between sign and value, as in an env file. */
  readonly isTight: boolean;
}

type WrittenValue = Omit<Value, "isLopsided">;

function valueAt(raw: string, view: string, place: AssignmentPlace): WrittenValue | null {
  const { sign, at } = place;
  const quote = matchAt(QUOTED, view, at);
  if (quote !== null) {
    const from = at + quote[0].length;
    return {
      start: from,
      end: endOfQuoted(raw, from, quote[2] ?? "", (quote[1] ?? "").length),
      form: "quoted",
    };
  }
  // A comparison or a type before `=` is code: only a quoted literal counts there.
  if (sign.length > 1 && sign !== ":=" && sign !== "=>") return null;
  const block = sign === ":" ? matchAt(BLOCK, view, at) : null;
  if (block !== null) {
    const end = at + block[0].length;
    return { start: end - (block[2] ?? "").length, end, form: "env-line" };
  }
  return lineValue(view, place) ?? bareValue(view, place);
}

/** The rest of the line, when the assignment is all the line holds. */
function lineValue(view: string, place: AssignmentPlace): WrittenValue | null {
  const { at, start } = place;
  const before = LINE_START.exec(view.slice(Math.max(0, start - MAX_LINE_START_CHARS), start));
  if (before === null) return null;
  const newline = view.indexOf("\n", at);
  const line = view.slice(at, newline === -1 ? view.length : newline);
  const isEnv = isEnvLike(place) || (place.isTight && place.sign === "=" && before.groups?.indent === "");
  const value = isEnv ? envValue(line) : withoutComment(line);
  // What goes on or is closed here is code, or one line of JSON.
  if (value === "" || /[,;({[]$/.test(value) || (!isEnv && /[\s,;&]/.test(value))) return null;
  if (isEnv && /^[A-Za-z_$][\w.]*\(.*\)$/.test(value)) return null;
  return { start: at, end: at + value.length, form: isEnv ? "env-line" : "line" };
}

function withoutComment(line: string): string {
  const comment = line.search(/[ \t](?:#|\/\/)/);
  return (comment === -1 ? line : line.slice(0, comment)).trimEnd();
}

/** To the first blank, for a command may follow; all of the line where the first word is just a word: a passphrase. */
function envValue(line: string): string {
  const first = /^\S*/.exec(line)?.[0] ?? "";
  return /^[a-z]+$/.test(first) ? line.trimEnd() : first;
}

function bareValue(view: string, place: AssignmentPlace): WrittenValue | null {
  const bare = matchAt(BARE, view.slice(place.at, place.at + MAX_BARE_CHARS), 0);
  if (bare === null) return null;
  const end = place.at + bare[0].length;
  // `getToken(`, `env[`: code, not a literal.
  if (/[([{]/.test(view.charAt(end))) return null;
  return { start: place.at, end, form: isEnvLike(place) ? "env-line" : "inline" };
}

function endOfBare(view: string, from: number): number {
  return from + (matchAt(BARE, view, from)?.[0].length ?? 0);
}

/** `NAME=value`, wherever it stands. */
function isEnvLike({ name, sign, isTight }: AssignmentPlace): boolean {
  return isTight && sign === "=" && /^[A-Z][A-Z0-9_]*$/.test(name);
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** The closing quote has as many backslashes as the opening one; without one on the line, the line's end. */
function endOfQuoted(raw: string, from: number, quote: string, backslashes: number): number {
  for (let at = raw.indexOf(quote, from); at !== -1; at = raw.indexOf(quote, at + 1)) {
    let count = 0;
    while (at - count > from && raw.charAt(at - count - 1) === "\\") count++;
    const isClosing = count === backslashes || (backslashes === 0 && count % 2 === 0);
    if (!isClosing) continue;
    const newline = raw.slice(from, at).indexOf("\n");
    return newline === -1 ? at - Math.min(count, backslashes) : from + newline;
  }
  const newline = raw.indexOf("\n", from);
  return newline === -1 ? raw.length : newline;
}

/** Does the token end here, or go on as a path, an address or a call? */
function endsThere(view: string, end: number): boolean {
  return end === view.length || /[\s"'`,;&<>)}\]|]/.test(view.charAt(end));
}

// A telling name and its value as two words, without a sign between them: `vercel_token VALUE`, `Authorization VALUE`, a row
// of a table. Prose talks of tokens in the same way, so the value must look like nothing else: long, of letters and digits
// in no order a name would have.

const NAMED_VALUE = /[A-Za-z0-9+/_=.~-]{16,512}(?![A-Za-z0-9+/_=.~-])/y;
const NAME_AT_END = new RegExp(`(?<![A-Za-z0-9_.-])[A-Za-z_][A-Za-z0-9_.-]{2,${MAX_NAME_CHARS - 1}}$`);
/** Blanks on one side of a column's border, or between a name and its value. */
const MAX_NAMED_BLANKS = 20;

/** `runs`: a value is a long run from its beginning (runs 1), for what stands before it is in none: each is looked at from there backwards. */
export function findNamedWords(view: string, runs: LongRuns = longRuns(view)): SecretFinding[] {
  const found: SecretFinding[] = [];
  for (const start of runs.starts) {
    const name = nameBefore(view, start);
    const secretClass = name === null ? null : secretClassOf(name);
    if (secretClass === null) continue;
    const value = matchAt(NAMED_VALUE, view, start)?.[0] ?? "";
    if (value === "" || isPlaceholder(value) || !looksOpaque(value)) continue;
    found.push({ rule: secretClass, start, end: start + value.length });
  }
  return found;
}

/** The name of a value that begins here; null: it has none. */
function nameBefore(view: string, start: number): string | null {
  let at = withoutQuote(view, start);
  const near = blanksBefore(view, at);
  at -= near;
  const isColumn = view[at - 1] === "|" || view[at - 1] === "│";
  if (isColumn) at -= 1 + blanksBefore(view, at - 1);
  else if (near === 0) return null;
  at = withoutQuote(view, at);
  const before = view.slice(Math.max(0, at - MAX_NAME_CHARS - 1), at);
  return mayBeTelling(before) ? (NAME_AT_END.exec(before)?.[0] ?? null) : null;
}

const withoutQuote = (view: string, at: number): number => (/["'`]/.test(view.charAt(at - 1)) ? at - 1 : at);

function blanksBefore(view: string, at: number): number {
  let count = 0;
  while (count < MAX_NAMED_BLANKS && /[ \t]/.test(view.charAt(at - 1 - count))) count++;
  return count;
}
