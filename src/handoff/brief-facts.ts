/**
 * What a brief is made of: the manifest's facts (DESIGN 10) and what the journal and the state file add. Computed from
 * records and the tree, never by a model (T2). All of it is JSON, so that one pass takes the secrets out (T4).
 */

import type { Json } from "../model/json.ts";
import type { ManifestReason } from "../model/manifest.ts";
import type { HeldBefore } from "../text/before-words.ts";
import type { ChildResume } from "../text/child-resume-words.ts";
import type { OperationSoFar } from "../text/so-far-words.ts";

export interface BriefSession {
  readonly id: string;
  /** There and true: nobody ever began it; this is what git and the tree tell (S1). */
  readonly implied?: true;
  readonly name: string | null;
  readonly agent: string | null;
  readonly workspace: string | null;
  /** Where that was when it worked there; left out: where it is. */
  readonly moved_from?: string;
  readonly state: string;
  readonly unsettled: boolean;
  readonly cause: string | null;
  readonly attempt: number;
  /** The attempt this tells of: `attempt` also counts those that only recovered what it left. */
  readonly last_attempt: number;
  readonly dirty_ends: number;
  /** When it was last heard of: its end where it said one, else its last record. */
  readonly last_at: string | null;
}

export interface BriefCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly status: string;
  readonly effect: string;
  /** How to find out whether it happened. */
  readonly check: string | null;
  /** What is held of the tree as it was before it, or that nothing is. */
  readonly before?: HeldBefore;
}

export interface BriefOperation {
  readonly id: string;
  readonly label: string;
  readonly state: "open" | "ended" | "aborted";
  readonly paths: readonly string[];
  /** How far it got, where it did not end. */
  readonly so_far?: OperationSoFar;
}

export interface BriefDecision {
  readonly key: string;
  readonly value: Json;
  readonly reason: string | null;
  readonly step: string | null;
}

/** Something that refloat has done about it. */
export interface BriefDone {
  readonly at: string;
  readonly text: string;
  /** Of an act: what it was, and the command that has back what it took. */
  readonly act?: string;
  readonly command?: string;
  readonly commit?: string;
  /** The name of the parked group. */
  readonly parked?: string;
}

export type BriefVerdict = "safe" | "risky" | "unknown";

export type BriefReason = Pick<ManifestReason, "rule" | "message" | "remedy">;

export interface BriefGroup {
  readonly id: string;
  readonly verdict: BriefVerdict;
  readonly reasons: readonly BriefReason[];
  readonly changes: readonly { readonly path: string; readonly kind: string; readonly owner: string }[];
}

export interface BriefStep {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly sub_step: string | null;
}

/** What was said of the workflow from inside a sandbox, and is not in its file. */
export interface BriefSaid {
  /** As a command has it: step done 2. */
  readonly order: string;
  /** Null: nobody carried it out yet. */
  readonly refused: string | null;
}

/** Something it ran and saw end. */
export interface BriefRan {
  readonly command: string;
  readonly came: "done" | "failed" | "cancelled";
  /** The last line of its output. */
  readonly said: string | null;
}

/** The last test that was seen to end; `never-seen`: none was. */
export interface BriefTest {
  readonly command: string;
  readonly came: "done" | "failed" | "never-seen";
  readonly said: string | null;
  /** Files that finished calls edited after it. */
  readonly edited_since: readonly string[];
  /** A test that was begun after it and not seen to end. */
  readonly again?: string;
}

export interface BriefChild {
  /** Null: none is known. */
  readonly id: string | null;
  readonly label: string;
  /** `no-result`: asked for, and one of those that worked may be it. `not-seen`: asked for, and nothing shows that it began. */
  readonly state: "done" | "failed" | "half-done" | "no-result" | "not-seen";
  readonly calls: number;
  /** What its last call was about, one without a result before any other. */
  readonly at: string | null;
  /** The top of its own work tree; left out: it worked in the session's, or nobody knows. */
  readonly worktree?: string;
  /** Of the groups that its own edits are in, the worst; left out: they are in none here. */
  readonly verdict?: BriefVerdict;
  readonly groups?: readonly string[];
  /** How it is gone on with; left out: it is done, or failed. */
  readonly resume?: ChildResume;
}

/** What ran beside the session. */
export interface BriefMachine {
  readonly kind: "shell" | "server" | "timer" | "mcp";
  readonly command: string;
}

/** A result that the agent's program made up for a call, and what the tree shows instead; null: nothing. */
export interface BriefRecorded {
  readonly call: string;
  readonly said: string;
  readonly saw: string | null;
}

/** What the session's own records tell (told-facts.ts). */
export interface BriefTold {
  /** What the person asked besides the goal, oldest first. */
  readonly requests: readonly string[];
  /** Edited by finished calls, the newest last. */
  readonly files: readonly string[];
  readonly ran: readonly BriefRan[];
  readonly test: BriefTest | null;
  readonly plan: readonly { readonly text: string; readonly state: "open" | "doing" | "done" }[];
  readonly children: readonly BriefChild[];
  readonly machines: readonly BriefMachine[];
  readonly recorded: readonly BriefRecorded[];
  /** Sentences of ours. */
  readonly unknown: readonly string[];
  /** Commands that show more. */
  readonly more: readonly string[];
}

export interface BriefFacts {
  readonly session: BriefSession;
  readonly goal: string | null;
  readonly last_output: string | null;
  readonly turn: {
    readonly id: string;
    readonly outcome: string | null;
    readonly started_at: string;
    /** Nobody said that it ended: its last words read like an end. */
    readonly inferred?: true;
    readonly input: string | null;
  } | null;
  /** Those without a result of their own, oldest first: running when it ended, or settled as unknown (C4). */
  readonly calls: readonly BriefCall[];
  readonly operations: readonly BriefOperation[];
  readonly groups: readonly BriefGroup[];
  readonly claims_contradicted: readonly {
    readonly claim: string;
    readonly said: string;
    readonly evidence: string;
  }[];
  readonly leftovers: readonly { readonly pid: number; readonly command: string }[];
  readonly steps: readonly BriefStep[];
  readonly said?: readonly BriefSaid[];
  readonly decisions: readonly BriefDecision[];
  /** Inputs nobody has taken up yet, oldest first. */
  readonly waiting: readonly { readonly from: string | null; readonly text: string | null }[];
  /** What refloat has done about it, oldest first. */
  readonly done: readonly BriefDone[];
  readonly base: {
    readonly head: string | null;
    readonly branch: string | null;
    /** The commits the session began at and was last seen at; left out: no capture of it tells. */
    readonly began_at?: string | null;
    readonly worked_on?: string | null;
  };
  /** Its work is held and not in this tree (W8). */
  readonly held?: {
    readonly capture: string;
    readonly path: string;
    readonly missing_commits: readonly string[];
  };
  readonly next: readonly string[];
  /** Left out: nothing was recorded. */
  readonly told?: BriefTold;
}
