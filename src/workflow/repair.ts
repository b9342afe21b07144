/**
 * What a damaged state file becomes. Pure: the copies go in, the document and where it came from come out.
 *
 *  1. A file without errors is its own best copy; only what follows from the rest is set right (tidy.ts).
 *  2. Otherwise the newest copy without errors is the ground, and what the damaged file still holds is laid over it,
 *     field by field as far as it fits the schema.
 *  3. Without any whole copy the ground is the template, with all that the companion and the artifacts show
 *     (rebuild-state.ts).
 *
 * Progress is rebuilt, never reset; no decision that any copy holds is lost: the log is added to, never shortened.
 */
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { MAX_JSON_DEPTH } from "../model/limits.ts";
import { jsonDepth } from "../text/json-depth.ts";
import { jsonOf, readJsonTree } from "../text/json-tree.ts";
import { missingAtTop, readDecision } from "./decision-log.ts";
import { definitionFor, isVersion, STATUSES, type StepStatus, type Version } from "./definition.ts";
import { editOf, isBeginningOf, withKeptLog } from "./kept-log.ts";
import { isEqual } from "./rewrite-json.ts";
import type { SubjectSurroundings } from "./rule.ts";
import {
  furtherStatus,
  listOf,
  objectOf,
  own,
  stepsIn,
  textOf,
  timeOf,
  withFields,
  withStep,
} from "./state-doc.ts";
import { tidied } from "./tidy.ts";
import { parseState, validateText, validateValue } from "./validate.ts";

export interface Copy {
  /** `aside`: what a person or a repair put away as damaged; read only where nothing whole is left. */
  readonly source: "file" | "backup" | "store" | "aside";
  /** For people: `00-session-state.json.bak.1`, "the store". */
  readonly name: string;
  readonly text: string;
  /** The store knows this text as one that another of its versions came after (D3: an order without a clock). */
  readonly isSuperseded: boolean;
}

export interface RepairedState {
  readonly doc: JsonObject;
  readonly from: "file" | "backup" | "store" | "rebuilt";
  readonly ground: string;
  /** The file has to be put aside before it is replaced. */
  readonly isFileDamaged: boolean;
}

/** Rounds of replacing what does not fit; each one reaches a level deeper than the last. */
const MAX_ROUNDS = 6;

/** A state of which no copy is left, and what of it was there to see. */
export interface Rebuilt {
  readonly doc: JsonObject;
  /** For people: `00-handoff.md`, "the artifacts". */
  readonly shown: readonly string[];
}

export function repairState(
  copies: readonly Copy[],
  rebuilt: () => Rebuilt,
  around: SubjectSurroundings,
): RepairedState {
  const file = copies.find(({ source }) => source === "file") ?? null;
  const whole = copies.flatMap((copy) => {
    if (copy.source === "aside") return [];
    const { findings, doc } = validateText("", copy.text, around);
    const isWhole = doc !== null && findings.every(({ severity }) => severity === "warning");
    return isWhole ? [{ copy, doc: doc.value }] : [];
  });
  const own_ = whole.find(({ copy }) => copy === file);
  const setRight = (doc: JsonObject): JsonObject =>
    tidied(withTop(doc, around), around.shape, around.nowMs, around.claims);
  if (own_) return done(setRight(own_.doc), "file", own_.copy.name, false);
  const ground = newest(whole);
  const anew = ground ? { doc: ground.doc, shown: [] } : rebuilt();
  const base = anew.doc;
  const broken = file ?? (ground ? null : (copies.find(({ source }) => source === "aside") ?? null));
  const salvaged = broken ? withTrueLog(withoutDeep(salvagedFrom(broken.text)), broken.text, around) : {};
  const meant = withKnownStatuses(salvaged, around);
  const laid = laidOver(meant, base, around) ?? laidByField(meant, base, around);
  const kept = withFurtherSteps(laid, base, around);
  const logged = withDecisionsOf(kept, [...whole.map(({ doc }) => doc), salvaged]);
  const doc = setRight(logged);
  if (ground) return done(doc, sourceOf(ground.copy), ground.copy.name, file !== null);
  const held = broken && Object.keys(salvaged).length > 0 ? broken : null;
  return done(doc, "rebuilt", groundOf(held, anew.shown), file !== null);
}

/** What it was rebuilt from: only what was there (T1). */
function groundOf(held: Copy | null, shown: readonly string[]): string {
  const parts = [
    ...(held ? [`what ${held.source === "file" ? "the file" : held.name} still holds`] : []),
    ...(shown.length > 0 ? [`what ${shown.join(" and ")} ${shown.length > 1 ? "show" : "shows"}`] : []),
  ];
  return parts.length === 0 ? "the template: nothing else is left of it" : parts.join(", and ");
}

/** What was decided stands at the top, too, where that is empty; what does not fit there costs itself, not the rest. */
function withTop(doc: JsonObject, around: SubjectSurroundings): JsonObject {
  const strange = around.log ? editOf(around.log, listOf(own(doc, "decision_log"))).strange : [];
  return missingAtTop(doc, strange).reduce((next, fields) => {
    const filledIn = withFields(next, fields);
    const isTaken = Object.keys(fields).some((name) => own(next, name));
    return !isTaken && isSound(filledIn, around) ? filledIn : next;
  }, doc);
}

const done = (
  doc: JsonObject,
  from: RepairedState["from"],
  ground: string,
  isFileDamaged: boolean,
): RepairedState => ({
  doc,
  from,
  ground,
  isFileDamaged,
});

const sourceOf = ({ source }: Copy): RepairedState["from"] => (source === "aside" ? "rebuilt" : source);

interface WholeCopy {
  readonly copy: Copy;
  readonly doc: JsonObject;
}

/** What the store saw superseded is older than what it did not; only strangers' copies are compared by their own dates. */
function newest(whole: readonly WholeCopy[]): WholeCopy | null {
  const current = whole.filter(({ copy }) => !copy.isSuperseded);
  const among = current.length > 0 ? current : whole;
  const at = ({ doc }: WholeCopy): number => timeOf(own(doc, "updated")) ?? Number.NEGATIVE_INFINITY;
  return among.reduce<WholeCopy | null>(
    (best, one) => (best === null || at(one) > at(best) ? one : best),
    null,
  );
}

/** What can still be read of a broken text, up to its break; comments and a comma too many break nothing. */
export function salvagedFrom(text: string): JsonObject {
  const tree = readJsonTree(text, { comments: true });
  const value = tree.root ? jsonOf(tree.root) : null;
  return isJsonObject(value) ? value : {};
}

/** Before the copies' logs are put together: in all of them at once a forged entry would be one more that is there (D2). */
const withTrueLog = (salvaged: JsonObject, text: string, { log, nowMs }: SubjectSurroundings): JsonObject =>
  withKeptLog(salvaged, log ?? null, nowMs, parseState(text).kind === "broken" ? "cut" : "whole");

/** The salvaged fields over the ground; what does not fit the schema is the ground's. Null: they do not go together. */
function laidOver(salvaged: JsonObject, base: JsonObject, around: SubjectSurroundings): JsonObject | null {
  const version = own(salvaged, "schema_version");
  const to: Version = isVersion(version) ? version : (own(base, "schema_version") as Version);
  let doc = filled(withFields(salvaged, { schema_version: to }), base) as JsonObject;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const parsed = definitionFor(around.shape)[to].safeParse(doc);
    if (parsed.success) break;
    for (const { path } of parsed.error.issues) doc = replaced(doc, base, path.map(String)) as JsonObject;
  }
  const { findings } = validateValue("", doc, around);
  return findings.some(({ severity }) => severity === "error") ? null : doc;
}

/** Fields that no reader of the file could follow: what they hold stays in the damaged bytes, which are kept. */
function withoutDeep(doc: JsonObject): JsonObject {
  const isDeep = (value: unknown): boolean =>
    jsonDepth(Buffer.from(JSON.stringify(value) ?? "")) > MAX_FIELD_DEPTH;
  return Object.fromEntries(Object.entries(doc).filter(([, value]) => !isDeep(value)));
}

/** Half of what is read at all: a file's own fields need five. */
const MAX_FIELD_DEPTH = MAX_JSON_DEPTH / 2;

/** What people write by hand, and what it means. */
const MEANT: Readonly<Record<string, StepStatus>> = {
  done: "complete",
  completed: "complete",
  finished: "complete",
  "in-progress": "in_progress",
  "in progress": "in_progress",
  started: "in_progress",
  active: "in_progress",
  todo: "pending",
  open: "pending",
  "not started": "pending",
  not_started: "pending",
  skip: "skipped",
};

function withKnownStatuses(doc: JsonObject, { shape }: SubjectSurroundings): JsonObject {
  return stepsIn(doc, shape).reduce((next, { key, body, status, isThere }) => {
    const said = textOf(own(body, "status"))?.trim().toLowerCase();
    if (!isThere || status !== null || said === undefined) return next;
    const meant =
      STATUSES.find((one) => one === said) ?? (Object.hasOwn(MEANT, said) ? MEANT[said] : undefined);
    return meant === undefined ? next : withStep(next, key, withFields(body, { status: meant }));
  }, doc);
}

/** Where the ground was further than what is left of the file, that progress stays, with what belongs to it. */
function withFurtherSteps(doc: JsonObject, base: JsonObject, { shape }: SubjectSurroundings): JsonObject {
  const old = new Map(stepsIn(base, shape).map((step) => [step.spec.id, step]));
  return stepsIn(doc, shape).reduce((next, { spec, key, body, status }) => {
    const was = old.get(spec.id);
    if (!was || was.status === status || furtherStatus(status, was.status) !== was.status) return next;
    const missing = Object.entries(was.body).filter(([field]) => isNothing(own(body, field)));
    const fields = { ...Object.fromEntries(missing), status: was.status };
    return withStep(next, key, withFields(body, fields as JsonObject));
  }, doc);
}

const isNothing = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

export const isSound = (doc: JsonObject, around: SubjectSurroundings): boolean =>
  validateValue("", doc, around).findings.every(({ severity }) => severity !== "error");

/** One field after the other, and one step after the other: what does not go with the ground costs itself, not the rest. */
function laidByField(salvaged: JsonObject, base: JsonObject, around: SubjectSurroundings): JsonObject {
  let doc = base;
  const lay = (next: JsonObject): void => {
    if (isSound(next, around)) doc = next;
  };
  for (const [key, value] of Object.entries(salvaged))
    if (key !== "steps" && value !== undefined) lay(withFields(doc, { [key]: value }));
  for (const { spec, body, isThere } of stepsIn(salvaged, around.shape)) {
    const here = stepsIn(doc, around.shape).find((step) => step.spec.id === spec.id);
    if (!isThere || !here) continue;
    for (const [field, value] of Object.entries(body)) {
      const now = objectOf(own(objectOf(own(doc, "steps")), here.key));
      if (value !== undefined) lay(withStep(doc, here.key, withFields(now, { [field]: value })));
    }
  }
  return doc;
}

function filled(value: Json, base: Json | undefined): Json {
  if (!isJsonObject(value) || !isJsonObject(base)) return value;
  const missing = Object.entries(base).filter(([key]) => own(value, key) === undefined);
  const kept = Object.entries(value).map(([key, inner]) => [key, filled(inner as Json, own(base, key))]);
  return Object.fromEntries([...kept, ...missing]);
}

function replaced(
  value: Json | undefined,
  base: Json | undefined,
  path: readonly string[],
): Json | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return base === undefined ? readable(value) : base;
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return items.map((item, i) => (String(i) === first ? (replaced(item, undefined, rest) ?? null) : item));
  }
  if (!isJsonObject(value)) return base === undefined ? readable(value) : base;
  const inner = replaced(own(value, first), own(base, first), rest);
  return Object.fromEntries([
    ...Object.entries(value).filter(([key]) => key !== first),
    ...(inner === undefined ? [] : [[first, inner]]),
  ]);
}

/** An entry of no known shape becomes text in one: what it said stays in the log. */
const readable = (value: Json | undefined): Json | undefined =>
  value === undefined ? undefined : { decision: typeof value === "string" ? value : JSON.stringify(value) };

/** Every decision that some copy has and this document has not, in the order of the copies. */
function withDecisionsOf(doc: JsonObject, others: readonly JsonObject[]): JsonObject {
  const log = [...listOf(own(doc, "decision_log"))];
  for (const other of others) {
    for (const entry of listOf(own(other, "decision_log"))) {
      if (readDecision(entry) && !log.some((known) => isEqual(known, entry))) log.push(entry);
    }
  }
  const whole = log.filter((entry) => !log.some((other) => isBeginningOf(entry, other)));
  return isEqual(whole, own(doc, "decision_log") ?? []) ? doc : withFields(doc, { decision_log: whole });
}
