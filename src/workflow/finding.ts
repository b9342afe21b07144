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
