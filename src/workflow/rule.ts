/** A row of the validator's table (rules.ts). */
import type { FindingPlace, StateFinding } from "./finding.ts";
import type { Subject } from "./subject.ts";

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
 * says nothing more of it (accepted.ts). {accept} is filled in.
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
