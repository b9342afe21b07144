/** A file as a transcript shows it, and how far that can be believed. */
import { REBUILT_CALLS_LISTED } from "../../model/limits.ts";

/**
 * `exact`: its bytes are known and nothing that the transcript tells of can have changed them. `contradicted`: two of its calls say
 * different things of it. `partial`: everything else.
 */
export type RebuiltLabel = "exact" | "partial" | "contradicted";

export interface RebuiltFile {
  /** Absolute, as the transcript means it. */
  readonly path: string;
  readonly label: RebuiltLabel;
  /** Null: not known as a whole. */
  readonly text: string | null;
  /** It was deleted or moved away. */
  readonly isGone: boolean;
  /** The calls that show it, in order; a contradiction's are the last two. */
  readonly calls: readonly string[];
  readonly callsLeftOut: number;
  /** Why it is not exact; null: it is. */
  readonly why: string | null;
}

/** What is known of a file at a step of the replay. */
export interface ReplayedFile {
  text: string | null;
  isGone: boolean;
  /** Its line ends, its byte order mark and its encoding are known, too. */
  isToTheByte: boolean;
  /** It had LF and no byte order mark when it was last known to the byte, and no edit since brought others. */
  hasPlainEnds: boolean;
  /** Where the call began that shows it as a whole: whoever may have written later makes it doubtful. */
  shownFrom: number;
  /** An edit that cannot be repeated; null: none since it was last shown. */
  doubt: string | null;
  contradiction: string | null;
  calls: string[];
  callsLeftOut: number;
  /** The edits that ended last and ran side by side: what they began with, and what each made of it. */
  beside: {
    readonly before: string | null;
    readonly edits: ((text: string) => string | null)[];
    end: number;
  } | null;
}

export const unknownFile = (): ReplayedFile => ({
  ...{
    text: null,
    isGone: false,
    isToTheByte: false,
    hasPlainEnds: false,
    shownFrom: -1,
    doubt: null,
    contradiction: null,
  },
  ...{ calls: [], callsLeftOut: 0, beside: null },
});

/** Newer ones are worth more. */
export function addCall(state: ReplayedFile, call: string): void {
  if (state.calls.at(-1) === call) return;
  state.calls.push(call);
  if (state.calls.length <= REBUILT_CALLS_LISTED) return;
  state.calls.splice(1, 1);
  state.callsLeftOut += 1;
}

/** From here on this call shows it. */
export function shownBy(state: ReplayedFile, call: string): void {
  state.calls = [call];
  state.callsLeftOut = 0;
}
