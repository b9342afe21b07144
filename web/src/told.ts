/** What the server answers, as the page reads it: the contract of the command line's JSON (docs/json.md), so fields may come, never change. */

import type { ChosenPlan, ChosenReceipt } from "../../src/app/salvage/chosen-acts.ts";
import type { ChangedFile } from "../../src/app/salvage/group-changes.ts";
import type { CaptureMark, RecordsPage, ShownRecord } from "../../src/app/sessions/session-records.ts";
import type {
  TimelineAttempt,
  TimelineCall,
  TimelineDecision,
  TimelineNote,
  TimelineOperation,
  TimelineTurn,
} from "../../src/app/sessions/timeline-fold.ts";
import type { BriefStep } from "../../src/handoff/brief-facts.ts";
import type { Manifest } from "../../src/model/manifest.ts";
import type { SessionSummary } from "../../src/session/describe.ts";

export interface ToldSession {
  readonly session: SessionSummary & { readonly goal: string | null };
  readonly attempts: readonly TimelineAttempt[];
  readonly turns: readonly TimelineTurn[];
  readonly calls: readonly (Omit<TimelineCall, "input"> & { readonly input: string })[];
  readonly operations: readonly TimelineOperation[];
  readonly decisions: readonly TimelineDecision[];
  readonly notes: readonly TimelineNote[];
  readonly captures: readonly CaptureMark[];
  readonly left_out: boolean;
  readonly goes_on: boolean;
  readonly head: number;
}

export interface ToldSalvage extends Manifest {
  readonly check: { readonly command: string; readonly state: "run" | "kept" | "not-run" } | null;
  readonly can_commit: boolean;
  /** Of the workspace's workflow. */
  readonly steps: readonly BriefStep[];
}

export type ToldDiff = { readonly files: readonly ChangedFile[]; readonly left_out: number };
export type ToldChosenPlan = ChosenPlan;
export type ToldReceipt = ChosenReceipt & {
  readonly undo_command: string | null;
  readonly uncommitted?: { readonly commit: string } | null;
  readonly digest?: string;
};
export type { ChangedFile, RecordsPage, ShownRecord };
