/**
 * What reading a tree found: the same for a capture and for a look at the tree as it is now. Before it is a record, and as the
 * body of one.
 */
import type { Capture, CaptureEntry, CaptureHow, GapReason } from "../../model/capture.ts";
import type { RefloatConfig } from "../../model/config.ts";
import type { ContentHash } from "../../model/ids.ts";
import {
  CAPTURE_BUDGET_MS,
  CAPTURE_FILE_BYTES,
  CAPTURE_PATHS,
  CAPTURE_TOTAL_BYTES,
} from "../../model/limits.ts";
import { type PathName, pathForDisplay, pathFromJson, pathJson } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ContentsSink } from "../files/contents-sink.ts";
import type { Head } from "../git/head.ts";
import type { IndexIdentity } from "../git/index-file.ts";
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

/**
 * `limits` of the config: the user's bounds of one capture, in place of ours. Whoever asks for less than ours (a capture
 * between two calls) keeps what he asked for, unless the user allows less still. Pure.
 */
export function boundsOf({ limits = {} }: RefloatConfig, asked: ReadingLimits): ReadingLimits {
  const bound = (own: number | undefined, value: number, usual: number): number => {
    if (own === undefined) return value;
    return value === usual ? own : Math.min(own, value);
  };
  return {
    ...asked,
    fileBytes: bound(limits.file_bytes, asked.fileBytes, CAPTURE_FILE_BYTES),
    totalBytes: bound(limits.total_bytes, asked.totalBytes, CAPTURE_TOTAL_BYTES),
    paths: bound(limits.paths, asked.paths, CAPTURE_PATHS),
    budgetMs: bound(limits.budget_ms, asked.budgetMs, CAPTURE_BUDGET_MS),
  };
}

/** A reading as the body of its record, and back: the one place where both forms meet. */
type ReadingFields = Pick<
  Capture,
  "how" | "head" | "index" | "in_progress" | "scopes" | "entries" | "gaps" | "partial" | "limits" | "hidden"
>;

export function readingJson(reading: Reading): ReadingFields {
  return {
    how: reading.how,
    head: reading.head === null ? null : { ...reading.head },
    index: reading.index === null ? null : { ...reading.index },
    in_progress: [...reading.inProgress],
    scopes: reading.scopes.map((path) => ({ ...pathJson(path) })),
    entries: reading.entries.map(entryJson),
    gaps: reading.gaps.map(({ path, reason, detail }) => ({ ...pathJson(path), reason, detail })),
    partial: reading.gaps.length > 0 || reading.limits.length > 0,
    limits: reading.limits.map(({ limit, value, leftOut }) => ({ limit, value, left_out: leftOut })),
    hidden: reading.hidden,
  };
}

function entryJson({ path, state, head, staged, flags }: ReadEntry): CaptureEntry {
  return {
    ...pathJson(path),
    state: state === null ? null : { ...state },
    ...(head === undefined ? {} : { head: head === null ? null : { ...head } }),
    ...(staged === undefined ? {} : { staged: staged.map((one) => ({ ...one })) }),
    flags: [...flags],
  };
}

/** The reading a capture holds. */
export function readingOf(capture: Capture): Reading {
  return {
    how: capture.how,
    head: capture.head,
    index: capture.index,
    inProgress: capture.in_progress,
    scopes: capture.scopes.map(pathFromJson),
    entries: capture.entries.map(entryOf),
    gaps: capture.gaps.map(
      (gap): ReadGap => ({ path: pathFromJson(gap), reason: gap.reason, detail: gap.detail }),
    ),
    limits: capture.limits.map(({ limit, value, left_out }) => ({ limit, value, leftOut: left_out })),
    hidden: capture.hidden,
  };
}

function entryOf(entry: CaptureEntry): ReadEntry {
  return {
    path: pathFromJson(entry),
    state: stateOf(entry.state),
    ...(entry.head === undefined ? {} : { head: entry.head }),
    ...(entry.staged === undefined ? {} : { staged: entry.staged }),
    flags: entry.flags,
  };
}

export function stateOf(json: CaptureEntry["state"]): PathState {
  if (json === null) return null;
  const { kind, mode, size, hash, target } = json;
  return { kind, mode, size, hash: hash as ContentHash | null, ...(target === undefined ? {} : { target }) };
}

/** The contents a record must name: what is held, with a path that can be found again. */
export function contentsOf(
  reading: Reading,
  moved: Capture["moved"],
  isHeld: (hash: ContentHash) => boolean,
): { hash: ContentHash; path: string }[] {
  const entries = reading.entries.map(({ path, state }) => ({
    path: pathForDisplay(path),
    hash: state?.hash,
  }));
  const sides = (moved?.paths ?? []).flatMap(({ path, from, to }) =>
    [from, to].map((side) => ({ path, hash: side?.hash as ContentHash | null | undefined })),
  );
  return [...entries, ...sides].flatMap(({ path, hash }) => (hash && isHeld(hash) ? [{ hash, path }] : []));
}
