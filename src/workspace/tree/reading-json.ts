/** A reading as the body of its record, and back: the one place where both forms meet. */
import type { Capture, CaptureEntry } from "../../model/capture.ts";
import type { ContentHash } from "../../model/ids.ts";
import { pathForDisplay, pathFromJson, pathJson } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { ReadEntry, ReadGap, Reading } from "./reading.ts";

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
