/** A row of the validator's table (rules.ts). */
import type { Finding, Place } from "./finding.ts";
import type { Subject } from "./subject.ts";

export interface Found {
  readonly place: Place;
  readonly message: string;
  /** Where the rule's own does not fit this case. */
  readonly command?: string;
}

export interface Rule {
  readonly id: string;
  readonly severity: Finding["severity"];
  /** One sentence: what is wrong when it fires. */
  readonly about: string;
  /** What to do; {file} and {step} are filled in. */
  readonly command: string;
  readonly check?: (subject: Subject) => readonly Found[];
}
