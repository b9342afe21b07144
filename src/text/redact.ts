/**
 * Takes secrets out of text before it enters a manifest, a handoff, an export or a response (T4).
 *
 *  redact 1  Idempotent: what was redacted is searched again until nothing is found, so redacting it once more
 *       changes nothing. Text that does not come to rest in MAX_PASSES is withheld whole.
 *  redact 2  Fails closed: when a rule throws, the caller gets the error, never the text.
 *  redact 3  Survives any text, and its cost is linear: it is searched in windows of WINDOW_CHARS that see
 *       OVERLAP_CHARS on either side, and other work of the process goes on between them (T5). Private
 *       keys, which may be longer, are searched in the whole.
 *  redact 4  Nothing heavy is loaded until the first text is searched.
 *
 * No redaction is complete: it knows shapes, names and randomness. A password in a sentence passes.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Json } from "../model/json.ts";
import { longRuns } from "./long-runs.ts";
import { findPrivateKeys } from "./private-keys.ts";
import type { SecretFinding } from "./redaction-marker.ts";
import { isMasked, MASK, markerOf, maskMarkers, moreTelling } from "./redaction-marker.ts";
import { findAssignments, findNamedWords, isSecretValue } from "./secret-assignments.ts";
import { mapStrings, secretClassOf } from "./secret-names.ts";
import { findPatterns } from "./secret-patterns.ts";
import { findWithSecretlint } from "./secretlint-rules.ts";

export interface Redaction {
  readonly text: string;
  /** Where the secrets were in the text that was given: UTF-16 offsets, in order. */
  readonly found: readonly SecretFinding[];
}

/** What is searched at once. The time of some rules grows faster than the text; at this size none is felt. */
export const WINDOW_CHARS = 64 * 1024;
/** A secret and what tells it are shorter than this; a longer value is redacted to the next blank or quote. */
export const OVERLAP_CHARS = 8 * 1024;
/** A redaction can bare a secret it hid the beginning of. Real text rests after 2 passes. */
const MAX_PASSES = 8;
/** Strings of a JSON value are searched together up to this size: few searches, bounded memory. */
const BATCH_CHARS = 1024 * 1024;
/** Parts strings that are searched together: no rule looks across NUL and line feeds. */
const SEPARATOR = "\n\0\n";

export async function redact(text: string): Promise<Redaction> {
  const found = await settledFindings(text);
  return { text: render(text, found), found };
}

export async function mayHoldSecret(text: string): Promise<boolean> {
  for await (const found of search(text)) if (found.length > 0) return true;
  return false;
}

/** Redacts every string of a JSON value, field names too, and whatever a telling name holds; keeps the structure. */
export async function redactJson(value: Json): Promise<{ value: Json; count: number }> {
  const texts: string[] = [];
  mapStrings(value, (text, name) => {
    if (namedSecret(name, text) === null) texts.push(text);
    return text;
  });
  const redacted = await redactAll(texts);
  let count = 0;
  let next = 0;
  const mapped = mapStrings(value, (text, name) => {
    const done = namedSecret(name, text) === null ? redacted[next++] : undefined;
    // Asked again: what is left of a text can be a secret under its name, and must not become one next time.
    const secretClass = namedSecret(name, done?.text ?? text);
    count += secretClass === null ? (done?.found.length ?? 0) : 1;
    return secretClass === null ? (done?.text ?? text) : markerOf(secretClass);
  });
  return { value: mapped, count };
}

function namedSecret(name: string | null, text: string): "password" | "token" | null {
  return name !== null && isSecretValue(name, maskMarkers(text)) ? secretClassOf(name) : null;
}

/** Redacts many texts in few searches; the result is as if each had been redacted alone. */
export async function redactAll(texts: readonly string[]): Promise<Redaction[]> {
  const done: Redaction[] = [];
  for (let from = 0; from < texts.length; ) {
    let to = from;
    for (
      let chars = 0;
      to < texts.length && (to === from || chars + (texts[to]?.length ?? 0) <= BATCH_CHARS);
      to++
    ) {
      chars += (texts[to]?.length ?? 0) + SEPARATOR.length;
    }
    done.push(...(await redactBatch(texts.slice(from, to))));
    from = to;
  }
  return done;
}

/** All of them are searched at once; again, until it rests (redact 1), only those that something was found in. */
async function redactBatch(texts: readonly string[]): Promise<Redaction[]> {
  const found: SecretFinding[] = [];
  for await (const some of search(texts.join(SEPARATOR))) found.push(...some);
  const first = findingsOf(texts, merge(found));
  const hit = texts.filter((_, at) => first[at]?.length !== 0);
  const settled = hit.length === 0 ? [] : findingsOf(hit, await settledFindings(hit.join(SEPARATOR)));
  let next = 0;
  return texts.map((text, at) => {
    const own = first[at]?.length === 0 ? [] : (settled[next++] ?? []);
    return { text: render(text, own), found: own };
  });
}

/** Of each of the texts that were searched together, in its own offsets. */
function findingsOf(texts: readonly string[], found: readonly SecretFinding[]): SecretFinding[][] {
  let next = 0;
  let from = 0;
  return texts.map((text) => {
    const to = from + text.length;
    const own: SecretFinding[] = [];
    while (next < found.length && (found[next]?.end ?? 0) <= from) next++;
    for (let at = next; at < found.length; at++) {
      const finding = found[at];
      if (finding === undefined || finding.start >= to) break;
      const start = Math.max(finding.start, from) - from;
      own.push({ rule: finding.rule, start, end: Math.min(finding.end, to) - from });
    }
    from = to + SEPARATOR.length;
    return own;
  });
}

/** What must go so that nothing is found any more (redact 1), in the offsets of `text`. */
async function settledFindings(text: string): Promise<SecretFinding[]> {
  let settled: SecretFinding[] = [];
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const found: SecretFinding[] = [];
    for await (const some of search(render(text, settled))) found.push(...some);
    if (found.length === 0) return settled;
    const toSource = sourceOffsets(settled);
    const inSource = found.map(({ rule, start, end }) => ({
      rule,
      start: toSource(start),
      end: toSource(end),
    }));
    settled = merge([...settled, ...inSource]);
  }
  return [{ rule: "unsettled", start: 0, end: text.length }];
}

/** What is found in a text, window by window. Markers that are there already are never found. */
async function* search(text: string): AsyncGenerator<SecretFinding[]> {
  const { raw, view } = viewOf(text);
  yield inFull(findPrivateKeys(view), view);
  for (let from = 0; from < view.length; from += WINDOW_CHARS) {
    if (from > 0) await nextTurn();
    const left = Math.max(0, from - OVERLAP_CHARS);
    const right = Math.min(view.length, from + WINDOW_CHARS + OVERLAP_CHARS);
    const seen = view.slice(left, right);
    const runs = longRuns(seen);
    const found = [
      ...(await findWithSecretlint(seen)),
      ...findPatterns(seen, runs.text),
      ...findNamedWords(seen, runs),
      ...findAssignments(raw.slice(left, right), seen),
    ].map(({ rule, start, end }) => ({ rule, start: start + left, end: endIn(view, end + left, right) }));
    // A window answers for what begins in it; only it sees enough on both sides.
    yield inFull(
      found.filter(({ start }) => start >= from && start < from + WINDOW_CHARS),
      view,
    );
  }
}

/** A value that fills the window to its end goes on behind it. */
function endIn(view: string, end: number, right: number): number {
  if (end < right || right === view.length) return end;
  const rest = /[^\s"'`]*/y;
  rest.lastIndex = right;
  return right + (rest.exec(view)?.[0].length ?? 0);
}

/**
 * The text as the rules read it, of the same length: markers masked; colours as blanks; and, in `view`, the
 * escaped line feeds and tabs of JSON strings as real ones, or each line in such a string would hide its
 * beginning behind the letter n.
 */
function viewOf(text: string): { raw: string; view: string } {
  const blank = (found: string) => " ".repeat(found.length);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with a control character.
  const raw = maskMarkers(text).replace(/(?:\x1b|\\u001b|\\x1b|\\033|\\e)\[[\d;]{0,20}[mK]/gi, blank);
  // Carriage returns fill the place of the backslashes, so that what ends at a line's end ends before them.
  const view = raw.replace(/\\{1,8}([nrt])/g, (found, letter) =>
    letter === "t" ? blank(found) : `${"\r".repeat(found.length - 1)}\n`,
  );
  return { raw, view };
}

/** Findings without those that are redacted already, each grown over markers it touches only in part. */
function inFull(found: readonly SecretFinding[], view: string): SecretFinding[] {
  const kept: SecretFinding[] = [];
  for (const { rule, start, end } of found) {
    if (end <= start || isMasked(view.slice(start, end).trim())) continue;
    let [from, to] = [start, end];
    while (from > 0 && view[from] === MASK && view[from - 1] === MASK) from--;
    while (to < view.length && view[to] === MASK && view[to - 1] === MASK) to++;
    kept.push({ rule, start: from, end: to });
  }
  return kept;
}

/** Sorted and without overlaps; the more telling rule names what two have found. */
function merge(found: readonly SecretFinding[]): SecretFinding[] {
  const merged: SecretFinding[] = [];
  for (const finding of [...found].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = merged.at(-1);
    if (last === undefined || finding.start >= last.end) {
      merged.push(finding);
      continue;
    }
    const rule = moreTelling(last.rule, finding.rule);
    merged[merged.length - 1] = { rule, start: last.start, end: Math.max(last.end, finding.end) };
  }
  return merged;
}

/** The text with a marker in the place of each finding. */
export function render(text: string, found: readonly SecretFinding[]): string {
  if (found.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { rule, start, end } of found) {
    parts.push(text.slice(from, start), markerOf(rule));
    from = end;
  }
  return parts.join("") + text.slice(from);
}

/** From offsets in what `render` made to offsets in the text it was made of. */
function sourceOffsets(found: readonly SecretFinding[]): (offset: number) => number {
  const marks: { readonly start: number; readonly end: number; readonly sourceEnd: number }[] = [];
  let shift = 0;
  for (const { rule, start, end } of found) {
    const length = markerOf(rule).length;
    marks.push({ start: start + shift, end: start + shift + length, sourceEnd: end });
    shift += length - (end - start);
  }
  return (offset) => {
    // The last mark that begins before the offset; findings never begin or end inside one.
    let low = 0;
    let high = marks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((marks[middle]?.start ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    const mark = marks[low - 1];
    return mark === undefined ? offset : mark.sourceEnd + (offset - mark.end);
  };
}

/**
 * Tokens of ours that are no secrets in the file they belong to. A workflow's state file shows each step's claim with its
 * `attempt_token`: it fences an owner whose time is over (K1) and opens nothing. In the file, and in what shows the file's
 * lines, it is passed over; printed anywhere else it is redacted like any other token (T4).
 */
const OWN_TOKEN =
  /("attempt_token"\s{0,8}:\s{0,8}")[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?=")/gi;

/** The same lines, for whoever looks for secrets in them. */
export const withoutOwnTokens = (text: string): string => text.replace(OWN_TOKEN, "$1");

/** Of a file's content, or of a patch that shows it. */
export const fileMayHoldSecret = (text: string): Promise<boolean> => mayHoldSecret(withoutOwnTokens(text));
