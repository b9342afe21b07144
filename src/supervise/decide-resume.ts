/**
 * Whether a session is gone on with, and what is different from when it stopped. Pure.
 *
 *  - A session that ended by its own word, or whose work another one took up, is over: an old interruption is not
 *    offered again once the work is done.
 *  - Suspended beats interrupted; asked-to-stop goes on only by name (L4).
 *  - What was open is settled and never run again (C4): the command is started anew, with the brief.
 */
import type { SessionState } from "../session/state.ts";

export interface ResumeFacts {
  readonly state: SessionState;
  readonly cause: string | null;
  /** Somebody typed its id or name. */
  readonly isNamed: boolean;
  /** The session that took its work up. */
  readonly continuedBy: string | null;
}

export type ResumeDecision = "go" | "live" | "suspended" | "finished" | "continued";

export function decideResume({ state, cause, isNamed, continuedBy }: ResumeFacts): ResumeDecision {
  if (state === "live") return "live";
  if (state === "suspended") return "suspended";
  if (continuedBy !== null) return "continued";
  if (state === "finished") return cause === "signal" && isNamed ? "go" : "finished";
  return state === "interrupted" || isNamed ? "go" : "finished";
}

export interface ResumePlace {
  readonly branch: string | null;
  readonly head: string | null;
  readonly rootCommit: string | null;
}

export interface Difference {
  readonly what: "branch" | "head" | "history";
  readonly was: string | null;
  readonly is: string | null;
  /** Going on there may be a mistake: somebody must say yes. */
  readonly isGrave: boolean;
}

/**
 * What is not known on one side is no difference. `isMoved`: the session came from another machine, where its branch may
 * have had another name: at the same commit that is only said.
 */
export function differences(was: ResumePlace, is: ResumePlace, isMoved = false): Difference[] {
  const isNamedAnew = isMoved && was.head !== null && was.head === is.head;
  const all: readonly (readonly [Difference["what"], keyof ResumePlace, boolean])[] = [
    ["history", "rootCommit", true],
    ["branch", "branch", !isNamedAnew],
    ["head", "head", false],
  ];
  return all.flatMap(([what, field, isGrave]) => {
    const [before, now] = [was[field], is[field]];
    const isKnown =
      what === "branch" ? was.head !== null && is.head !== null : before !== null && now !== null;
    return isKnown && before !== now ? [{ what, was: before, is: now, isGrave }] : [];
  });
}
