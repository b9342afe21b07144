/**
 * `decision_log` only grows (D2), whoever writes the file: an entry that the store saw there and that is gone, or says something
 * else, was taken out or changed by hand. It is put back where it was, what stands there now is kept behind it with the mark
 * `by_hand`, and an entry at the end says so: both are there for whoever reads the log, and neither is taken for the other (T2). Pure.
 */
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { alsoAtTop, readDecision, writtenDecision } from "./decision-log.ts";
import { isEqual } from "./rewrite-json.ts";
import { listOf, objectOf, own, stamp, textOf, withFields } from "./state-doc.ts";

/** The log of a file as its store knows it. */
export interface KnownLog {
  /** What a version that is on disk has, or had: all of it belongs into the file, in this order. */
  readonly seen: readonly Json[];
  /** What a command of refloat wrote, or took in and said so. */
  readonly written: readonly Json[];
}

export interface LogEdit {
  readonly missing: readonly Json[];
  readonly changed: readonly { readonly was: Json; readonly is: Json }[];
  /** Entries with an id, as refloat gives them, that it never wrote here. */
  readonly strange: readonly Json[];
  /** Entries as people and other tools add them. */
  readonly added: readonly Json[];
}

/** `cut`: the text breaks off. What is behind the break, or cut short by it, was not taken out by hand; what says something else was. */
export type LogText = "whole" | "cut";

/** Entries named in one note; the log has them all. */
const MAX_NAMED = 5;

export function editOf(known: KnownLog, log: readonly Json[], text: LogText = "whole"): LogEdit {
  const found = text === "cut" ? withoutCutShort(known, log) : log;
  const { missing: gone, others } = against(known.seen, found);
  const changed = gone.flatMap((was) => {
    const is = others.find((one) => isInPlaceOf(one, was));
    return is === undefined ? [] : [{ was, is }];
  });
  const missing = text === "cut" ? [] : gone.filter((entry) => !changed.some(({ was }) => was === entry));
  const fresh = against(known.written, found).others.filter((one) => !changed.some(({ is }) => is === one));
  const [strange, added] = [fresh.filter(isOurs), fresh.filter((entry) => !isOurs(entry))];
  return { missing, changed, strange, added };
}

/** The same document where nothing was taken out or changed. */
export function withKeptLog(
  doc: JsonObject,
  known: KnownLog | null,
  nowMs: number,
  text: LogText = "whole",
): JsonObject {
  if (known === null) return doc;
  const all = listOf(own(doc, "decision_log"));
  const found = text === "cut" ? withoutCutShort(known, all) : all;
  const edit = editOf(known, found, text);
  const isTouched = edit.missing.length > 0 || edit.changed.length > 0;
  if (!isTouched && found.length === all.length) return doc;
  const isForged = (entry: Json): boolean => edit.changed.some(({ is }) => is === entry);
  const others = against(known.seen, found).others.map((entry) =>
    isForged(entry) && isJsonObject(entry) ? withFields(entry, { by_hand: true }) : entry,
  );
  const log = [...known.seen, ...others];
  if (!isTouched) return withFields(doc, { decision_log: log });
  const entry = writtenDecision(log, {
    step: null,
    key: LOG_KEY,
    value: "put back",
    reason: damageOf(edit).join(" "),
    timestamp: stamp(nowMs),
  });
  return withFields(withKeptChoices(doc, edit.missing, log), { decision_log: [...log, entry] });
}

/**
 * `decisions` follows the entries that are put back where it said what the file's own log said (nothing, too): an older version
 * was copied over the file. What it says against that log is somebody's word, and a finding (`decision-differs`).
 */
function withKeptChoices(doc: JsonObject, missing: readonly Json[], log: readonly Json[]): JsonObject {
  const decisions = objectOf(own(doc, "decisions"));
  const found = listOf(own(doc, "decision_log"));
  const keys = missing.flatMap((entry) => (isOurs(entry) ? [textOf(own(entry, "key")) ?? ""] : []));
  const behind = keys.flatMap((key): [string, Json][] => {
    const [was, is] = [lastValue(found, key), lastValue(log, key)];
    return key === LOG_KEY || is === undefined || !isEqual(own(decisions, key), was) ? [] : [[key, is]];
  });
  if (behind.length === 0) return doc;
  return behind.reduce(
    (next, [key, is]) => withTopOf(next, key, lastValue(found, key), is),
    withFields(doc, { decisions: withFields(decisions, Object.fromEntries(behind)) }),
  );
}

/** So does the top of the file, where it said the same, or what a file begins with. */
function withTopOf(doc: JsonObject, key: string, was: Json | undefined, is: Json): JsonObject {
  const before = Object.entries(alsoAtTop(key, was));
  const isSame = before.every(([name, value]) => own(doc, name) === value);
  return isSame ? withFields(doc, alsoAtTop(key, is)) : doc;
}

function lastValue(log: readonly Json[], key: string): Json | undefined {
  const last = log.findLast((entry) => own(entry, "by_hand") !== true && readDecision(entry)?.key === key);
  return last === undefined ? undefined : readDecision(last)?.value;
}

/** With an id, as refloat gives them. */
const isOurs = (entry: Json): boolean => own(entry, "id") !== undefined && own(entry, "key") !== undefined;

/** Of the entries about the log itself. */
const LOG_KEY = "decision_log";

/** What a command says before it takes the file as it is. */
export function logNotes(
  known: KnownLog | null,
  found: readonly Json[],
  text: LogText = "whole",
): readonly string[] {
  if (known === null) return [];
  const edit = editOf(known, found, text);
  return [
    ...damageOf(edit),
    ...said(
      edit.strange,
      (names) => `decision_log has ${names}, which refloat never wrote here: taken as it stands.`,
    ),
    ...said(edit.added, (names) => `Added to decision_log by hand: ${names}.`),
  ];
}

const damageOf = ({ missing, changed }: LogEdit): string[] => [
  ...said(missing, (names) => `Not in decision_log any more: ${names}. Put back.`),
  ...said(
    changed.map(({ was }) => was),
    (names) => `Changed in decision_log by hand: ${names}. Put back; the other one is kept behind it.`,
  ),
];

function said(entries: readonly Json[], sentence: (names: string) => string): string[] {
  if (entries.length === 0) return [];
  const more = entries.length > MAX_NAMED ? ` and ${entries.length - MAX_NAMED} more` : "";
  return [sentence(entries.slice(0, MAX_NAMED).map(entryName).join(", ") + more)];
}

/** `D002 (iac_tool)` */
export function entryName(entry: Json): string {
  const id = textOf(own(entry, "id"));
  const key = readDecision(entry)?.key ?? null;
  if (id === null) return key ?? "an entry that cannot be read";
  return key === null ? id : `${id} (${key})`;
}

interface LogDifference {
  readonly missing: readonly Json[];
  /** What the file has beside the known ones. */
  readonly others: readonly Json[];
}

/** By what the entries say, not by their order: two machines that share a file by git may have added in either one. */
function against(known: readonly Json[], found: readonly Json[]): LogDifference {
  const used = new Set<number>();
  const missing = known.filter((entry, i) => {
    const fits = (one: Json | undefined, at: number): boolean => !used.has(at) && isEqual(one, entry);
    // Nearly always it is where it was.
    const at = i < found.length && fits(found[i], i) ? i : found.findIndex(fits);
    if (at !== -1) used.add(at);
    return at === -1;
  });
  return { missing, others: found.filter((_, at) => !used.has(at)) };
}

/** The same id; without ids the same key in the same step. */
function isInPlaceOf(one: Json, was: Json): boolean {
  const [id, other] = [textOf(own(was, "id")), textOf(own(one, "id"))];
  if (id !== null || other !== null) return id === other;
  const [a, b] = [readDecision(was), readDecision(one)];
  return a !== null && b !== null && a.key === b.key && a.step === b.step;
}

const withoutCutShort = ({ seen, written }: KnownLog, found: readonly Json[]): readonly Json[] =>
  found.filter((entry) => ![...seen, ...written].some((known) => isBeginningOf(entry, known)));

/** An entry that a break cut short, beside the whole one of another copy. */
export function isBeginningOf(entry: Json, other: Json): boolean {
  if (!isJsonObject(entry) || !isJsonObject(other)) return false;
  const keys = Object.keys(entry);
  return (
    keys.length < Object.keys(other).length && keys.every((key) => isEqual(own(entry, key), own(other, key)))
  );
}
