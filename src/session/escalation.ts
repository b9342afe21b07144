/**
 * L2: when a session that keeps dying is suspended. Pure. A dirty end is counted when it is discovered; progress
 * sets the count back, so the count is that of the ends since anything last got done. It belongs to the call that
 * was open: dying in another call is another story, and begins at one. Our own timeout counts only where nothing
 * got done, a usage limit never, nor an end that was asked for.
 * Whether a suspended one may be begun (L4) is decided here, too.
 */

import type { Cause } from "../model/causes.ts";
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";

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

/** Thrown by `begin` where a session is suspended and nobody said why it may go on (L2, L4). Its history is intact. */
export class Suspended extends RefloatError {
  override readonly name = "Suspended";
  /** Why, as its record says it. */
  readonly reason: string;
  /** Without progress, in a row. */
  readonly dirtyEnds: number;

  constructor(session: SessionId, reason: string, dirtyEnds: number) {
    super("E_SUSPENDED", { session, why: reason.replace(/\.$/, "") });
    this.reason = reason;
    this.dirtyEnds = dirtyEnds;
  }
}

/**
 * Whether a session may be begun by whoever has its claim free before him (L2, L4). Pure. Begun again and again by the
 * program that dies in it, a session escalates as it does under `run`: what would be its third dirty end in a row is recovered
 * first, with the capture that may yet show progress, and then it is suspended or not.
 */
interface BeginFacts {
  /** The reason it is suspended for; null: it is not. */
  readonly suspended: string | null;
  /** With the end that was just found, if one was. */
  readonly ends: DirtyEnds;
  /** Something was cut off that nobody has settled yet. */
  readonly isCutOff: boolean;
  /** Why it may go on all the same, by whoever begins it. */
  readonly lift: string | null;
}

export type BeginDecision =
  | { readonly kind: "go" }
  | { readonly kind: "lift"; readonly reason: string }
  | { readonly kind: "refuse"; readonly why: string }
  | { readonly kind: "recover-first" };

export function decideBegin({ suspended, ends, isCutOff, lift }: BeginFacts): BeginDecision {
  const isBrink = isCutOff && isToSuspend(ends);
  if (suspended === null && !isBrink) return { kind: "go" };
  if (lift !== null && lift.trim() !== "") return { kind: "lift", reason: lift };
  return suspended === null ? { kind: "recover-first" } : { kind: "refuse", why: suspended };
}
