/** One row of the doctor's table (checks.ts). */
import type { Severity } from "../workflow/finding.ts";
import type { DoctorFacts } from "./facts.ts";

export interface Complaint {
  readonly message: string;
  /** Where the row's own does not fit this case. */
  readonly command?: string;
}

export type FixKind = "private" | "recover" | "finish" | "repair" | "upgrade" | "tidy" | "plans";

export interface DoctorCheck {
  readonly id: string;
  readonly severity: Severity;
  readonly about: string;
  /** For the tree: yes is well. */
  readonly question: string;
  readonly command: string;
  readonly fix?: FixKind;
  readonly find: (facts: DoctorFacts) => readonly Complaint[];
}
