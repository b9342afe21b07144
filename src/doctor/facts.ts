/** What the doctor looks at, gathered once (gather.ts); the checks only read it, so each is a pure row of a table. */
import type { Liveness } from "../model/owner.ts";
import type { SessionState } from "../session/state.ts";
import type { SeenSeals } from "../store/look-at-seals.ts";
import type { Severity, StateFinding } from "../workflow/rule.ts";

export interface StoreFacts {
  readonly address: string;
  readonly isThere: boolean;
  /** The user said which store: another home would not change that. */
  readonly isNamed: boolean;
  /** Why it could not be opened, as an error of the catalogue. */
  readonly openError: { readonly code: string; readonly message: string } | null;
  readonly fileSystem: { readonly name: string; readonly isSafeForWal: boolean } | null;
  /** Records a session is known to have lost from its end. */
  readonly losses: readonly { readonly session: string; readonly from: number; readonly to: number }[];
  /** Room on its disk; null: not a file, or not known. */
  readonly freeBytes: number | null;
  /** Its folder and files that others may read or write. */
  readonly open: readonly { readonly path: string; readonly mode: number }[];
  /** Why nothing can be written where the store is or would be made; null: it can, or it is a server. */
  readonly notWritable: { readonly folder: string; readonly isDisk: boolean } | null;
  /** What the engine itself finds wrong with its files. */
  readonly damage: readonly string[];
  /** Null: it could not be looked at. */
  readonly sealing: SealingFacts | null;
}

export type SealingFacts = SeenSeals;

export interface SessionFacts {
  readonly id: string;
  readonly name: string | null;
  readonly state: SessionState;
  /** A turn, call or message is open. */
  readonly isOpen: boolean;
  /** Where its conversation was begun anew; left out: it goes on here. */
  readonly renewed_as?: string;
  /** Its agent is gone, and what that left was not read yet: how it ended is not known. The folder where it will be, null: that is gone; left out: it was read. */
  readonly unreadIn?: string | null;
}

export interface DoctorClaim {
  readonly session: string;
  readonly name: string | null;
  readonly owner: string;
  readonly liveness: Liveness["kind"];
  readonly isHeld: boolean;
  /** Its supervisor is dead and the agent is not: nobody watches over it. */
  readonly isAgentAlone: boolean;
  /** The step it is on; null: a session's. */
  readonly step: string | null;
}

export interface StateFileFacts {
  readonly path: string;
  readonly version: string | null;
  readonly findings: readonly StateFinding[];
  /** A change in the journal whose files are not written. */
  readonly isUnfinished: boolean;
}

/** A plan of this workspace that was begun and not ended (S5). */
export interface PlanFacts {
  readonly id: string;
  readonly act: string;
  readonly executor: string;
  readonly liveness: Liveness["kind"];
}

/** A process that a dead attempt left running (S2). */
export interface LeftoverFacts {
  readonly session: string;
  readonly pid: number;
  readonly command: string;
}

/** The config of the user, or the one HEAD has. */
export interface ConfigFacts {
  readonly path: string;
  /** It is a commit's: correcting it takes another one. */
  readonly isCommitted: boolean;
  /** Why it cannot be used; null: it can. */
  readonly problem: string | null;
  /** Each as a sentence. */
  readonly unknownKeys: readonly string[];
}

/** This repository was at another place when sessions worked in it. */
export interface MovedFacts {
  readonly from: string;
  readonly to: string;
}

/** An agent as far as its hooks go. */
export interface AgentHookFacts {
  readonly agent: string;
  readonly title: string;
  /** When its files were last set up; null: they are not. */
  readonly setUpAtMs: number | null;
  /** There are hooks of ours for it. */
  readonly canBeSetUp: boolean;
  /** When its newest transcript was last written; null: there is none, or it is old. */
  readonly ranAtMs: number | null;
  /** When its hooks told something last; null: never. */
  readonly toldAtMs: number | null;
  /** As its newest transcript says; null: it does not. */
  readonly version: string | null;
  /** Kinds of records in it that are not known here. */
  readonly unknownTypes: readonly string[];
  /** It is installed or wrote last in a version newer than any that was tried; null: it is not, or nobody knows. */
  readonly untried: { readonly version: string; readonly tried: string } | null;
}

export interface HookFacts {
  readonly recorder:
    | { readonly kind: "there" | "other"; readonly path: string }
    | { readonly kind: "missing"; readonly path: string; readonly why: string };
  /** What the recorder holds work trees with before a destructive command. */
  readonly hasPerl: boolean;
  readonly agents: readonly AgentHookFacts[];
  readonly inbox: {
    readonly waiting: number;
    readonly torn: number;
    readonly tornFolder: string;
    /** Since it was last taken in. */
    readonly dropped: number;
    /** When it was last full, and taken in afterwards; the file that counts it. */
    readonly droppedBefore: { readonly count: number; readonly path: string };
  };
}

export interface DoctorFacts {
  readonly nodeVersion: string;
  /** What is wrong with git: missing, or too old. Null: nothing. */
  readonly gitProblem: string | null;
  /** How this system gets a newer git. */
  readonly installGit: string;
  /** And perl. */
  readonly installPerl: string;
  readonly store: StoreFacts;
  readonly sessions: readonly SessionFacts[];
  readonly claims: readonly DoctorClaim[];
  readonly stateFiles: readonly StateFileFacts[];
  readonly plans: readonly PlanFacts[];
  readonly configs: readonly ConfigFacts[];
  readonly leftovers: readonly LeftoverFacts[];
  readonly moved: readonly MovedFacts[];
  /** Files of writes that a kill cut off, which nobody has open. */
  readonly strayFiles: readonly string[];
  /** Files in the tree that an act had set aside, of no plan that is open; absolute. */
  readonly straySlots: readonly string[];
  readonly hooks: HookFacts;
}

/** One row of the doctor's table (checks.ts). */
export interface Complaint {
  readonly message: string;
  /** Where the row's own does not fit this case. */
  readonly command?: string;
}

export type FixKind = "private" | "recover" | "finish" | "repair" | "upgrade" | "tidy" | "plans";

/** `info`: nothing is wrong, and something could be better; no reason for `--exit-code`. */
export type DoctorSeverity = Severity | "info";

export interface DoctorCheck {
  readonly id: string;
  readonly severity: DoctorSeverity;
  readonly about: string;
  /** For the tree: yes is well. */
  readonly question: string;
  readonly command: string;
  readonly fix?: FixKind;
  readonly find: (facts: DoctorFacts) => readonly Complaint[];
}
