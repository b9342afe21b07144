/**
 * The moments of a session at which the state of its workspace matters (DESIGN 4): begin, turns, calls, operations,
 * the end. This room knows no workspace; whoever wires the rooms gives one that takes the captures. None of these
 * ever throws: a capture that cannot be taken is a record, and no reason to stop the work it would have held.
 */
import type { Json } from "../model/json.ts";
import type { Effect, NewRecord } from "../model/record.ts";
import type { AppendOutcome } from "../store/store.ts";

export interface SessionCaptures {
  /** Resolves when the begin capture is on disk, or is known to have failed. */
  begun(): Promise<void>;
  turnBegan(): void;
  /** A short, bounded wait for a capture that is being read: what the call writes must not get into it. */
  callStarts(effect: Effect): Promise<void>;
  callEnded(call: { readonly input: Json; readonly effect: Effect }): void;
  /** Resolves when what is there at its beginning is on disk, or is known not to be held: what was half done before is not its own. */
  operationBegan(): Promise<void>;
  /**
   * Resolves when what is there at its end is on disk, or is known not to be held: whoever ended it waits (T2). Null: it was
   * aborted, and nothing of it is said to be done.
   */
  operationEnded(operation: string | null): Promise<void>;
  turnEnded(): void;
  /** Resolves when the end capture is on disk, with what the session leaves, or is known to have failed. */
  ending(): Promise<void>;
}

export interface CapturesOf {
  readonly session: string;
  readonly attempt: number;
  /** Writes under the session's attempt, so that an owner that was replaced captures nothing any more (K1). */
  append(records: readonly NewRecord[]): Promise<AppendOutcome>;
}

export type OpenCaptures = (of: CapturesOf) => SessionCaptures;

export const NO_CAPTURES: SessionCaptures = {
  begun: async () => undefined,
  turnBegan: () => undefined,
  callStarts: async () => undefined,
  callEnded: () => undefined,
  operationBegan: async () => undefined,
  operationEnded: async () => undefined,
  turnEnded: () => undefined,
  ending: async () => undefined,
};
