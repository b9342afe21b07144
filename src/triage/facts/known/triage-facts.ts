/**
 * What the judge is given. Plain data and three accessors; whoever calls wires them to captures, HEAD and the
 * journal. The judge itself reads no file, no clock and no store, so a verdict can be had again from the same facts.
 *
 * Positions are sequence numbers of the session's journal (D3); no clock decides anything here.
 */
import type { Verdict } from "../../../model/manifest.ts";
import type { PathName } from "../../../model/path-name.ts";
import type { Change } from "../../../workspace/compare/states.ts";
import type { ChangeOwner } from "../../../workspace/owning/own.ts";
import type { PathRules } from "../paths/path-rules.ts";
import type { Analysis } from "./analysis.ts";
import type { AnalysisCache } from "./kept.ts";

export type FileSide = "before" | "after";

/** A stretch of the journal in which a path came to another state. */
export interface Write {
  /** The path was seen in its earlier state at this position ... */
  readonly fromSeq: number;
  /**
   * ... and in its later one at this position. A capture that was taken because a call, an operation or a turn ended,
   * or an operation began, counts as that moment's position where nothing of the session can have come between: whoever said so
   * waited for the capture, and no call was open meanwhile.
   */
  readonly toSeq: number;
  /** The call that names the path or surrounds the change; null: none is known. */
  readonly call: string | null;
}

export interface ChangeFact {
  readonly change: Change;
  readonly owner: ChangeOwner;
  /** When the session wrote it, in order. Empty: nobody saw, so it may have been at any time. */
  readonly writes: readonly Write[];
  /** Operations whose author said that they are done and waited while it was captured: it was then as it is now. */
  readonly seenAtEnds?: readonly string[];
  /** A call that ended well recorded these very bytes as all of the file. */
  readonly isAsWritten?: boolean;
  /** The session left it so that it was its own, and somebody changed it after its end (W5). */
  readonly isEditedSince?: boolean;
  /** The user told git not to look at it (DESIGN 6). */
  readonly hiddenBy?: "skip-worktree" | "assume-unchanged";
}

export type OperationState = "open" | "ended" | "aborted";

export interface OperationFact {
  readonly id: string;
  readonly label: string;
  readonly state: OperationState;
  /** Globs or paths it named (`--path`); null: it named none. */
  readonly paths: readonly string[] | null;
  readonly beganSeq: number;
  /** Null while open. */
  readonly endedSeq: number | null;
  /** `record`: begun by `op begin` or the library; `text`: by a BEGIN line in a channel (text/markers.ts). */
  readonly source: "record" | "text";
  /** Of text: "messages", "stdout", or the journal-like file its markers stand in. */
  readonly channel?: string;
  /**
   * Its END was read in passing: in what the agent printed or wrote, while it went on, and through buffers nobody sees into. It
   * says that the operation is over, and nothing of which bytes were there by then: it closes nothing (DESIGN 8).
   */
  readonly isSeenInPassing?: boolean;
}

export interface CallFact {
  readonly id: string;
  readonly tool: string;
  /** The command line of a shell call; null for every other tool, or where it is not known. */
  readonly command: string | null;
  readonly startedSeq: number;
  /** Null: no result, or only one that recovery wrote (C4). */
  readonly endedSeq: number | null;
  /** `failed`: the tool said so, or its exit code was not 0. */
  readonly outcome: "done" | "failed" | "cancelled" | "none";
  /** Paths of the workspace its input names. */
  readonly paths: readonly PathName[];
  readonly mayWrite: boolean;
}

export interface TurnFact {
  readonly id: string;
  readonly startedSeq: number;
  readonly endedSeq: number | null;
  /** Null while open; recovery's `interrupted` counts as interrupted. */
  readonly outcome: "completed" | "cancelled" | "failed" | "interrupted" | null;
  /** Who said that it is over (L7): the agent itself, or only its process by ending, or nobody. Null while open. */
  readonly endedBy: "agent" | "exit" | "inferred" | null;
}

/** What the agent said itself: its own messages, or its stdout under `run`. Never a tool's result (T2). */
export interface SaidFact {
  readonly seq: number;
  /** END closes only what the same channel opened: "messages", "stdout". */
  readonly channel: string;
  readonly text: string;
}

/** The agent's own list of what is to be done, as it told it at one point. */
export interface PlanFact {
  readonly seq: number;
  /** How many items were not done. */
  readonly left: number;
  /** The first of them, shortened. */
  readonly named: readonly string[];
}

export interface GapFact {
  readonly path: PathName;
  readonly reason: string;
}

/** `judge GROUP VERDICT --reason`, remembered per path and content (the after state's `stateKey`). */
export interface OverrideFact {
  readonly path: PathName;
  readonly stateKey: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly by: string;
}

export type CheckOutcome = "passed" | "failed" | "not-run";

/** What the user's check said (T2: its text is the user's). Groups by the ids an earlier judging gave. */
export interface VerifyFact {
  readonly command: string;
  readonly head: CheckOutcome;
  /** As it counts: what clashes with another has failed. */
  readonly groups: ReadonlyMap<string, CheckOutcome>;
  /** Of those that failed, the ones that pass where another of them is not there, and not with it. */
  readonly clashing: readonly string[];
}

/** HEAD as files: what a commit of a group would be laid upon. */
export interface HeadTree {
  /** Every path at HEAD, files and links, sorted or not. Asked at most once, and only if a rule needs it. */
  list(): Promise<readonly PathName[]>;
  /** What is at a path; null: nothing, or a directory. */
  read(path: PathName): Promise<Uint8Array | null>;
  /**
   * Paths at HEAD whose text has at least one of the words, as `git grep -l -F -w` finds them; with `endings`, others may
   * be left out. Null: it could not be looked for (too much, no git): then nothing is said to resolve.
   */
  mentioning(words: readonly string[], endings?: readonly string[]): Promise<readonly PathName[] | null>;
}

/** A path as a capture saw it, for finding automated writers: those it saw clean count, too. */
export interface Sighting {
  readonly path: PathName;
  /** The session whose capture saw it, and the capture. */
  readonly session: string;
  readonly capture: string;
  readonly atMs: number;
  /** One text per state; own.ts's CLEAN where it was as HEAD has it. */
  readonly stateKey: string;
  /** Whether a call of that session wrote it. */
  readonly isWritten: boolean;
}

export interface TriageFacts {
  readonly changes: readonly ChangeFact[];
  /** No session was recorded here (S1): nobody's journals are all there is to speak of operations. */
  readonly isImplied?: boolean;
  /** Null: not held (a gap), or nothing is there on that side. A symlink's bytes are its target. */
  bytesOf(change: Change, side: FileSide): Promise<Uint8Array | null>;
  /** Whether the bytes after it are not those its state names, but a part of them; left out: they never are. */
  readonly isPart?: (change: Change) => boolean;
  readonly head: HeadTree;
  readonly operations: readonly OperationFact[];
  readonly calls: readonly CallFact[];
  readonly turns: readonly TurnFact[];
  readonly said: readonly SaidFact[];
  /** Oldest first. */
  readonly plans: readonly PlanFact[];
  /** Nobody supervised the session: it was read afterwards from what its agent wrote of itself. */
  readonly isOnlyHeard?: boolean;
  readonly gaps: readonly GapFact[];
  /** Paths that leftovers or a live agent may still write (S2); "all": any of them. */
  readonly moving: { readonly paths: readonly PathName[] | "all"; readonly why: string } | null;
  readonly pathRules: PathRules;
  readonly overrides: readonly OverrideFact[];
  readonly verify: VerifyFact | null;
  /** No check is proposed: one is trusted, run or not, or there is no commit that any could be run upon. */
  readonly isWithoutProposal?: boolean;
  readonly sightings: readonly Sighting[];
  /** What earlier judging found out about contents (analysis.ts); a second look then reads nothing. */
  readonly cache?: AnalysisCache;
  /** Who looks into the changed files; left out: this thread, one after the other. */
  readonly analysis?: Analysis;
  readonly onProgress?: (done: number, total: number) => void;
}
