/** What reading a tree found, before it is a record: the same for a capture and for a look at the tree as it is now. */
import type { CaptureHow, GapReason } from "../../model/capture.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ContentsSink } from "../files/contents-sink.ts";
import type { Head } from "../git/head.ts";
import type { IndexIdentity } from "../git/index-identity.ts";
import type { GitObject, StagedObject } from "../git/status.ts";

export interface ReadEntry {
  readonly path: PathName;
  readonly state: PathState;
  readonly head?: GitObject | null;
  readonly staged?: readonly StagedObject[];
  readonly flags: readonly string[];
}

/** Whether the index has something else there than HEAD: what `git commit` would take. Not in the middle of a merge. */
export function isStaged({ head, staged }: Pick<ReadEntry, "head" | "staged">): boolean {
  if (head === undefined || staged === undefined || staged.some(({ stage }) => stage !== 0)) return false;
  return !isSameObject(head, staged);
}

export function isSameObject(head: GitObject | null, staged: readonly GitObject[]): boolean {
  const [first, ...others] = staged;
  if (head === null) return first === undefined;
  return others.length === 0 && first?.id === head.id && first.mode === head.mode;
}

export interface ReadGap {
  readonly path: PathName;
  readonly reason: GapReason;
  readonly detail: string;
}

export interface ReachedLimit {
  readonly limit: string;
  readonly value: number;
  readonly leftOut: number;
}

export interface Reading {
  readonly how: CaptureHow;
  readonly head: Head | null;
  readonly index: IndexIdentity | null;
  readonly inProgress: readonly string[];
  readonly scopes: readonly PathName[];
  readonly entries: readonly ReadEntry[];
  readonly gaps: readonly ReadGap[];
  readonly limits: readonly ReachedLimit[];
  readonly hidden: number;
}

/** A path to read, with what git said of it. */
export interface CandidatePath {
  readonly path: PathName;
  readonly head?: GitObject | null;
  readonly staged?: readonly StagedObject[];
  readonly flags: readonly string[];
  /** A submodule is not read: its state was found another way. */
  readonly state?: PathState;
}

export interface ReadingLimits {
  readonly fileBytes: number;
  readonly totalBytes: number;
  readonly paths: number;
  readonly budgetMs: number;
  /** What each git command may take. */
  readonly statusMs: number;
}

export interface ReadingOptions {
  readonly clock: Clock;
  readonly sink: ContentsSink;
  readonly limits: ReadingLimits;
  /** Ignored paths to hold all the same, as globs (W6). */
  readonly precious: readonly string[];
  readonly onProgress?: (done: number, total: number) => void;
  /** Whether names that differ in case only are one file here; left out: the file system is asked. */
  readonly isCaseBlind?: boolean;
}
