/**
 * What an agent's own files and streams say, in one language for all agents. An adapter turns each line of a transcript, each
 * row of a database and each piece of a live stream into these; everything above (status, journal, brief, evidence, rebuilding)
 * knows nothing else of an agent.
 *
 * All of it is what the agent says of itself: a claim, never evidence of the workspace (T2), and untrusted text (T3).
 */
import type { JsonObject } from "../../model/json.ts";
import type { Part, Role } from "../../model/parts.ts";
import type { RecordedEdit } from "./recorded-edit.ts";

/** What a tool does, whatever the agent calls it. `plan`: it keeps the agent's list of what is to be done. `delegate`: a subagent. */
export type ToolKind = "read" | "edit" | "execute" | "search" | "fetch" | "plan" | "delegate" | "other";

/** Milliseconds since 1970 as the source says; null where it says none. For people only: order is the source's order (D3). */
export type HeardAt = number | null;

export interface HeardSession {
  readonly kind: "session";
  readonly nativeId: string;
  /** The folder the agent was started in. Names of folders above a transcript are lossy: only this counts. */
  readonly cwd: string | null;
  readonly version: string | null;
  readonly branch: string | null;
  readonly model: string | null;
  readonly at: HeardAt;
  /** The session this one came out of (a fork, a subagent's parent); null: none. */
  readonly parent: string | null;
}

export interface HeardMessage {
  readonly kind: "message";
  /** The source's own id, so that reading twice adds nothing (D4). */
  readonly id: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly at: HeardAt;
  /**
   * `person`: somebody typed it. `agent`: the model said it. `machinery`: the agent's program put it there (context, reminders,
   * its own words about an interruption).
   */
  readonly from: "person" | "agent" | "machinery";
  /** The subagent that said or was told it; null: the session's own conversation. */
  readonly child: string | null;
}

export interface HeardCall {
  readonly kind: "call";
  readonly id: string;
  readonly tool: string;
  readonly does: ToolKind;
  readonly input: JsonObject;
  readonly at: HeardAt;
  /** `requested` only where the source says that the tool had not begun (it waits for its arguments or for leave); else it may have. */
  readonly proof: "requested" | "started";
  /** Files the input names, as written there: relative ones are relative to the session's folder. */
  readonly paths: readonly string[];
  /** What it was to do to files, where the input says so. */
  readonly edits: readonly RecordedEdit[];
  readonly child: string | null;
}

export interface HeardResult {
  readonly kind: "result";
  readonly call: string;
  readonly status: "done" | "failed" | "cancelled";
  /** `synthetic`: the agent's program made it up for a call whose result it never had. Proves nothing, not even the failure. */
  readonly origin: "real" | "synthetic";
  readonly output: string;
  readonly at: HeardAt;
  /** What the source says the files were before and after, where it says so. */
  readonly edits: readonly RecordedEdit[];
}

export type HeardOutcome = "completed" | "cancelled" | "failed";

export type PlanItemState = "open" | "doing" | "done";
export interface PlanItem {
  readonly text: string;
  readonly state: PlanItemState;
}

export type Heard =
  | HeardSession
  | HeardMessage
  | HeardCall
  | HeardResult
  | { readonly kind: "turn-began"; readonly id: string | null; readonly at: HeardAt }
  /**
   * `record`: the source has a record of its own for it (an end record, L7). `inferred`: the last message reads like the end of
   * a turn, and nothing more.
   */
  | {
      readonly kind: "turn-ended";
      readonly outcome: HeardOutcome;
      readonly proof: "record" | "inferred";
      readonly at: HeardAt;
      /** The agent's last words, where the record itself tells them: which answer it is the end of. */
      readonly answer?: string;
    }
  /** The model was asked and has not answered yet: what was streamed meanwhile is in no transcript. */
  | { readonly kind: "asked-model"; readonly at: HeardAt }
  /** The agent's program ended and said so. */
  | { readonly kind: "ended"; readonly at: HeardAt }
  /** The whole list as it stands now. */
  | { readonly kind: "plan"; readonly items: readonly PlanItem[]; readonly at: HeardAt }
  /** One item of a list that is told piece by piece. `text` null: as before. `dropped`: it is no longer on the list. */
  | {
      readonly kind: "plan-item";
      readonly id: string;
      readonly text: string | null;
      readonly state: PlanItemState | "dropped";
      readonly at: HeardAt;
    }
  | {
      readonly kind: "child";
      readonly id: string;
      readonly label: string;
      readonly state: "begun" | "done" | "failed";
      readonly transcript: string | null;
      readonly at: HeardAt;
    }
  /** The context was shortened; what the model lost is still here. */
  | { readonly kind: "compacted"; readonly summary: string | null; readonly at: HeardAt }
  /** What was said after the message `to` was taken back by the person. */
  | { readonly kind: "rewound"; readonly to: string; readonly at: HeardAt }
  /** The usage limit is reached. */
  | { readonly kind: "limit"; readonly resetsAtMs: number | null; readonly at: HeardAt }
  /** Text that is still being streamed: only live streams have it. Over with the message of the same id, or as the stream says. */
  | { readonly kind: "delta"; readonly id: string; readonly text: string; readonly at: HeardAt }
  /** What was streamed under this id is whole: the message that has it came under an id of its own. */
  | { readonly kind: "delta-over"; readonly id: string; readonly at: HeardAt }
  /** A type this adapter does not know: counted, so that a newer version of the agent shows. */
  | { readonly kind: "unknown"; readonly type: string };

/** A record's place in its source's order, for sources that say it: what is missing or doubled can be told. */
export interface LineLinks {
  readonly id: string | null;
  /** undefined: this source has no parents. null: the first one. */
  readonly parent?: string | null;
  /** A number that grows by one with each record. */
  readonly ordinal?: number;
  /** The same id again is how this source changes a record, not damage. */
  readonly mayRepeat?: boolean;
}
