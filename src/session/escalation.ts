/**
 * L2: when a session that keeps dying is suspended. Pure. A dirty end is counted when it is discovered; progress
 * sets the count back, so the count is that of the ends since anything last got done. It belongs to the call that
 * was open: dying in another call is another story, and begins at one. Our own timeout counts only where nothing
 * got done, a usage limit never, nor an end that was asked for.
 */
import type { Cause } from "./causes.ts";

/** Three times the same is no accident; two may be a deploy that restarts twice. */
export const DIRTY_ENDS_TO_SUSPEND = 3;

export interface DirtyEnds {
  readonly count: number;
  /** The call that was open, by what it does and not by its id; null: none was. */
  readonly call: string | null;
}

export const NO_DIRTY_ENDS: DirtyEnds = { count: 0, call: null };

export interface FoundEnd {
  readonly cause: Cause;
  readonly call: string | null;
  /** Since the dirty end before. */
  readonly hasProgress: boolean;
  /** It was asked to end, and that was no crash (`isAskedBy`). */
  readonly isAsked?: boolean;
}

/** A person's Ctrl-C is no crash, however it was taken; nor is an agent that hears a signal and ends by itself (L2, L7). */
export const isAskedBy = (signal: string | null, code: number | null): boolean =>
  code !== null || signal === "SIGINT";

export function countDirtyEnd(before: DirtyEnds, end: FoundEnd): DirtyEnds {
  const since = end.hasProgress ? NO_DIRTY_ENDS : before;
  if (!isCounted(end)) return since;
  return { count: isSameCall(since, end) ? since.count + 1 : 1, call: end.call ?? since.call };
}

function isCounted({ cause, hasProgress, isAsked = false }: FoundEnd): boolean {
  if (isAsked) return false;
  switch (cause) {
    case "clean":
    case "limit":
      return false;
    case "timeout":
      return !hasProgress;
    case "signal":
    case "crash":
    case "oom":
    case "reboot":
    case "lost":
    case "unknown":
      return true;
    default:
      return cause satisfies never;
  }
}

/** Where one of the two had no call open nothing says that they differ. */
const isSameCall = (before: DirtyEnds, end: FoundEnd): boolean =>
  before.call === null || end.call === null || before.call === end.call;

export const isToSuspend = ({ count }: DirtyEnds): boolean => count >= DIRTY_ENDS_TO_SUSPEND;
