/** A group and its verdict, as the manifest shows them (DESIGN 10). */
import type { Verdict } from "../../model/manifest.ts";
import type { ChangeFact } from "../facts/known/triage-facts.ts";

export type Weight = "risky" | "safe" | "note";

export interface Reason {
  /** The rule's slug, as in docs/triage.md. */
  readonly rule: string;
  /** One plain sentence. */
  readonly message: string;
  /** What it rests on: paths, lines, operations, calls. Untrusted text (T3). */
  readonly evidence: readonly string[];
  /** What it speaks for; a note only says why there is no evidence. */
  readonly weight: Weight;
  /** What a person can do about it. */
  readonly remedy?: string | undefined;
  /** There where a check that passes would make the group safe: the one that the project seems to have; null: nothing says. */
  readonly check?: string | null | undefined;
}

export interface Group {
  /** A hash of owner, paths and states: the same work has the same id. */
  readonly id: string;
  readonly changes: readonly ChangeFact[];
  readonly verdict: Verdict;
  /** The worst first. */
  readonly reasons: readonly Reason[];
  /** Some of it is a workflow's own record: no policy takes that out of the tree. */
  readonly isWorkflowRecord?: boolean | undefined;
  /** Groups it tells of: it is committed with them or left. */
  readonly describes?: readonly string[] | undefined;
}
