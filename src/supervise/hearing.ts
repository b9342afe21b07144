/** What a supervisor hears of its agent beside its process: its own transcript and stream. Wired by who knows agents. */
import type { SessionId } from "../model/ids.ts";
import type { AgentConversation } from "../store/contract/session-facts.ts";
import type { CopiedConversation, ObservedOutput } from "./agent.ts";

export interface HeardEnd {
  /** The agent's own end record stands behind its last call (L7). */
  readonly hasEnded: boolean;
  /** Nothing was said in this attempt. */
  readonly isSilent: boolean;
}

export interface RunHearing {
  /** Called with every piece of stdout; must be cheap where the agent's output is for people. */
  take(piece: Buffer): readonly ObservedOutput[];
  /** Called with every piece of its input before the agent gets it; left out: its input is ours itself, and nobody hears it. */
  takeInput?(piece: Buffer): void;
  /** Its process runs. */
  start(): void;
  /** It is over: what is left of its transcript is taken in. Null: nothing of it was found, and its exit code is all there is. */
  end(): Promise<HeardEnd | null>;
  /** What it printed last, in words: a stream of JSON is none. */
  words(text: string): string;
}

/** For one attempt of a session. `nativeId`: the id the agent was given; null: it chooses one itself. */
export type OpenHearing = (attempt: {
  readonly session: SessionId;
  readonly attempt: number;
  readonly nativeId: string | null;
  readonly copies: CopiedConversation | null;
  /** What the session's agents said before this attempt, the newest first. */
  readonly earlier: readonly AgentConversation[];
  readonly onFailure: (error: Error) => void;
}) => RunHearing;
