/**
 * One file's findings, from its text and what is known around it. Pure, and never throws whatever the text is:
 * a validator that dies on a broken file is the one tool that was needed.
 */
import { ensureError } from "../model/errors.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { MAX_JSON_DEPTH } from "../model/limits.ts";
import { shellWord } from "../text/escape.ts";
import { isDeeper } from "../text/json-depth.ts";
import { decisionsIn, readDecision } from "./decision-log.ts";
import { definitionFor, isVersion, jsonSchemaOf, type Version } from "./definition.ts";
import { holdersIn } from "./holders.ts";
import type { KnownLog } from "./kept-log.ts";
import { quickCheck } from "./quick-check.ts";
import type { FoundBreach, StateRule, SubjectSurroundings } from "./rule.ts";
import { type FindingPlace, placeText, type StateFinding } from "./rule.ts";
import { RULES, type RuleId } from "./rules.ts";
import { own, stepsIn } from "./state-doc.ts";
import { dotted, type WorkflowShape } from "./step-list.ts";

export interface ValidatedState {
  readonly findings: readonly StateFinding[];
  /** Null: it could not be read as a document of a known version. */
  readonly doc: { readonly value: JsonObject; readonly version: Version } | null;
}

/** A file with more findings than this needs repair, not a longer list. */
const MAX_FINDINGS = 200;

const BY_ID = new Map<string, StateRule>(RULES.map((rule) => [rule.id, rule]));
/** Those that look at a document, once: the hot path of a thousand files. */
const CHECKS = RULES.filter((rule): rule is (typeof RULES)[number] & Required<StateRule> => "check" in rule);

export function validateText(file: string, text: string, around: SubjectSurroundings): ValidatedState {
  const parsed = parseState(text);
  if (parsed.kind === "broken")
    return { findings: [finding(file, "not-json", found([], parsed.why))], doc: null };
  return validateValue(file, parsed.value, around);
}

export type ParsedState =
  | { readonly kind: "parsed"; readonly value: unknown }
  | { readonly kind: "broken"; readonly why: string };

export function parseState(text: string): ParsedState {
  if (isDeeper(text, MAX_JSON_DEPTH))
    return { kind: "broken", why: `The file is nested deeper than ${MAX_JSON_DEPTH} levels.` };
  try {
    return { kind: "parsed", value: JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) };
  } catch (thrown) {
    const why = text.trim() === "" ? "it is empty" : ensureError(thrown).message;
    return { kind: "broken", why: `The file is not JSON: ${why}.` };
  }
}

export function validateValue(file: string, value: unknown, around: SubjectSurroundings): ValidatedState {
  if (!isJsonObject(value))
    return {
      findings: [finding(file, "bad-value", found([], "The file is JSON but not an object."))],
      doc: null,
    };
  const version = own(value, "schema_version");
  if (version === undefined)
    return { findings: [finding(file, "missing-field", missing(["schema_version"]))], doc: null };
  if (!isVersion(version)) {
    const message = `schema_version is ${JSON.stringify(version)}; 1.0, 2.0 and 3.0 are known.`;
    return { findings: [finding(file, "version", found(["schema_version"], message))], doc: null };
  }
  const findings = schemaFindings(file, value, version, around);
  const { shape, nowMs, handoff, hasArtifact, claims, log = null } = around;
  const holders = version === "2.0" ? holdersIn(value, shape, nowMs, claims) : [];
  const steps = stepsIn(value, shape);
  const decisions = decisionsIn(value);
  const subject = {
    nowMs,
    shape,
    handoff,
    hasArtifact,
    claims,
    log,
    doc: value,
    version,
    steps,
    decisions,
    holders,
  };
  for (const rule of CHECKS) {
    const found_ = rule.check(subject);
    if (found_.length === 0) continue;
    for (const one of found_) findings.push(finding(file, rule.id, one));
    if (findings.length > MAX_FINDINGS) break;
  }
  if (findings.length > MAX_FINDINGS) findings.length = MAX_FINDINGS;
  return { findings: withoutAccepted(findings, value, log), doc: { value, version } };
}

const quick = new WeakMap<WorkflowShape, Map<Version, (value: unknown) => boolean>>();

/** Made once per step list and version, as the definition is. */
function quickCheckFor(shape: WorkflowShape, version: Version): (value: unknown) => boolean {
  const made = quick.get(shape)?.get(version);
  if (made) return made;
  const known = quick.get(shape) ?? new Map<Version, (value: unknown) => boolean>();
  const check = quickCheck(jsonSchemaOf(shape, version));
  known.set(version, check);
  quick.set(shape, known);
  return check;
}

function schemaFindings(
  file: string,
  value: JsonObject,
  version: Version,
  { shape }: SubjectSurroundings,
): StateFinding[] {
  if (quickCheckFor(shape, version)(value)) return [];
  const parsed = definitionFor(shape)[version].safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues.map((issue) => {
    const place = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    return at(value, place) === undefined
      ? finding(file, "missing-field", missing(place))
      : finding(file, "bad-value", found(place, `${placeText(place)}: ${issue.message}.`));
  });
}

function at(value: unknown, place: FindingPlace): unknown {
  let inner: unknown = value;
  for (const part of place) inner = Array.isArray(inner) ? inner[Number(part)] : own(inner, String(part));
  return inner;
}

const found = (place: FindingPlace, message: string): FoundBreach => ({ place, message });
const missing = (place: FindingPlace): FoundBreach => found(place, `${placeText(place)} is missing.`);

function finding(file: string, id: RuleId, { place, message, command }: FoundBreach): StateFinding {
  const rule = BY_ID.get(id) as StateRule;
  const path = placeText(place);
  const step = place[0] === "steps" && place[1] !== undefined ? dotted(String(place[1])) : "N";
  const filled = (command ?? rule.command)
    .replace("{accept}", () => shellWord(acceptKey(id, path)))
    .replace("{file}", () => shellWord(file))
    .replace("{step}", step);
  return { severity: rule.severity, rule: id, path, message, file, command: filled };
}

/**
 * Warnings somebody has accepted: a decision `accept.RULE.PATH` in the file, made by `refloat decide` with its reason.
 * Errors cannot be accepted: with them a command would go wrong. Nor can a log that was taken apart: who did it could
 * write that, too, so what is against the store's word is accepted only by a decision that the store knows (T2).
 */
const acceptKey = (rule: string, path: string): string => `accept.${rule}${path === "" ? "" : `.${path}`}`;

const NEVER: ReadonlySet<string> = new Set(["log-missing"]);
const BY_STORE: ReadonlySet<string> = new Set(["log-strange", "decision-differs"]);

function withoutAccepted(
  findings: readonly StateFinding[],
  doc: JsonObject,
  log: KnownLog | null,
): readonly StateFinding[] {
  if (findings.length === 0) return findings;
  const decisions = own(doc, "decisions");
  return findings.filter(({ severity, rule, path }) => {
    const key = acceptKey(rule, path);
    if (severity === "error" || NEVER.has(rule) || own(decisions, key) === undefined) return true;
    return BY_STORE.has(rule) && log !== null && !log.written.some((one) => readDecision(one)?.key === key);
  });
}
