/** What a rule looks at: one document, and what is known around it. Nothing here reads or writes. */
import type { JsonObject } from "../model/json.ts";
import type { Decision } from "./decision-log.ts";
import type { Version } from "./definition.ts";
import type { FileHolder, StoreClaims } from "./holders.ts";
import type { KnownLog } from "./kept-log.ts";
import type { StepView } from "./state-doc.ts";
import type { WorkflowShape } from "./step-list.ts";

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
