/** What one run of a real agent left behind, as the harness saw it from outside and as refloat tells it. */
import type { AgentName } from "./agent-clis.ts";
import type { Body } from "./model/conversation.ts";
import type { SituationName } from "./situations.ts";

export interface Order {
  readonly agent: AgentName;
  readonly situation: SituationName | "mcp";
  /** Of this run alone; a folder `repo`, a folder `home` and the evidence go below it. */
  readonly folder: string;
  readonly root: string;
  /** The program and what comes before its arguments. */
  readonly refloat: readonly string[];
  /** How often the work is gone on with; all but the last time the agent is killed again. */
  readonly resumes: number;
}

export interface Told {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ResumedRequest {
  /** How often the brief is in it. */
  readonly briefs: number;
  readonly faults: readonly string[];
  /** The conversation: who said something, calls and results, in order. */
  readonly shape: string;
  /** What the model asked for: the write's path, the shell's command. */
  readonly asksFor: readonly string[];
}

export interface Resumed {
  readonly ran: Told;
  readonly requests: readonly ResumedRequest[];
  /** Ids of the log's items afterwards. */
  readonly history: readonly string[];
}

export interface Evidence {
  readonly agent: AgentName;
  readonly situation: SituationName | "mcp";
  /** The wanted moment came. */
  readonly isReached: boolean;
  readonly ran: { readonly code: number | null; readonly signal: string | null };
  /** What the agent printed until its death. */
  readonly printed: string;
  /** Tools that still run: before anybody asked refloat. */
  readonly toolsLeft: readonly number[];
  /** The files of the script, at the death and at the end. */
  readonly tree: Readonly<Record<string, string>>;
  readonly treeAtEnd: Readonly<Record<string, string>>;
  /** What `--json` said. */
  readonly sessions: Body;
  readonly inspect: Body;
  readonly log: Body;
  readonly handoff: Body;
  /** What `resume --print` would start; asked where the agent was started plainly, whose own resume is a screen to type at. */
  readonly wouldResume: Body | null;
  readonly resumes: readonly Resumed[];
  /** Questions that failed, in refloat's words. */
  readonly troubles: readonly string[];
}
