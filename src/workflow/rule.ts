/** A row of the validator's table (rules.ts), what it looks at, and what is said of it. */
import type { JsonObject } from "../model/json.ts";
import type { Decision } from "./decision-log.ts";
import type { Version } from "./definition.ts";
import type { FileHolder, StoreClaims } from "./holders.ts";
import type { KnownLog } from "./kept-log.ts";
import type { StepView } from "./state-doc.ts";
import type { WorkflowShape } from "./step-list.ts";

export interface FoundBreach {
  readonly place: FindingPlace;
  readonly message: string;
  /** Where the rule's own does not fit this case. */
  readonly command?: string;
}

export interface StateRule {
  readonly id: string;
  readonly severity: StateFinding["severity"];
  /** One sentence: what is wrong when it fires. */
  readonly about: string;
  /** What to do; {file} and {step} are filled in. */
  readonly command: string;
  readonly check?: (subject: Subject) => readonly FoundBreach[];
}

/**
 * What helps where only a person can say that all is well: the reason stands in the decision log, and the validator
 * says nothing more of it (validate.ts). {accept} is filled in.
 */
export const ACCEPT = "refloat decide {accept} yes --file {file} --reason WHY";

export const NOTHING_FOUND: readonly FoundBreach[] = [];

/** At most one finding for each item. Nothing is made where nothing is found, which is nearly everywhere. */
export function findEach<T>(
  items: readonly T[],
  look: (item: T, index: number) => FoundBreach | null,
): readonly FoundBreach[] {
  let found: FoundBreach[] | null = null;
  let i = 0;
  for (const item of items) {
    const one = look(item, i++);
    if (one === null) continue;
    found ??= [];
    found.push(one);
  }
  return found ?? NOTHING_FOUND;
}

/** What a validator or the doctor has to say about a state file: how bad, which rule, where, why, what to do. */
export type Severity = "error" | "warning";

export interface StateFinding {
  /** Error: the schema is broken or a command would go wrong. Everything else is a warning. */
  readonly severity: Severity;
  readonly rule: string;
  /** The place in the document: `steps.5.completed`; empty for the whole file. */
  readonly path: string;
  readonly message: string;
  readonly command: string;
  /** As it was named to the validator. */
  readonly file: string;
}

export type FindingPlace = readonly (string | number)[];

export const placeText = (place: FindingPlace): string => place.join(".");

/** What a rule looks at: one document, and what is known around it. Nothing here reads or writes. */
export interface SubjectSurroundings {
  readonly nowMs: number;
  readonly shape: WorkflowShape;
  /** The companion's text, or null where there is none. */
  readonly handoff: () => string | null;
  /** Whether a path that the file names as an artifact exists. */
  readonly hasArtifact: (path: string) => boolean;
  /** The store's claims on this file's steps; null: no store was asked. */
  readonly claims: StoreClaims;
  /** The decision log as the store knows it; null or left out: no store was asked, or it does not know the file. */
  readonly log?: KnownLog | null;
}

export interface Subject extends SubjectSurroundings {
  readonly doc: JsonObject;
  readonly version: Version;
  readonly steps: readonly StepView[];
  readonly decisions: readonly (Decision | null)[];
  /** Empty unless the version has claims (2.0). */
  readonly holders: readonly FileHolder[];
}
