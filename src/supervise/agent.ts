/**
 * What differs from agent to agent under a supervisor. Real ones are folders of agents/; whoever wires the rooms
 * hands one in, and nothing here knows an agent by name.
 */
import type { LimitReader } from "./limit-reader.ts";

export interface Launch {
  readonly command: readonly string[];
  /** Added to the child's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The id the agent will know this session by, where it can be chosen; null where it cannot. */
  readonly nativeId: string | null;
  /** It goes on in a copy of a conversation, which is there already; left out: it does not. */
  readonly copies?: CopiedConversation;
}

export interface CopiedConversation {
  /** As the command names it: by its id or its file. */
  readonly of: string;
  /** The copy says inside what it was made of, in the same words. */
  readonly isNamedInside: boolean;
}

/** What a reader found in the agent's output. */
export type ObservedOutput =
  | { readonly kind: "operation-began"; readonly label: string }
  | { readonly kind: "operation-ended"; readonly label: string }
  /** Its usage limit is reached: it will do no more until then. */
  | { readonly kind: "limit"; readonly resetsAtMs: number | null };

export interface OutputReader {
  /** Called with every piece of stdout, or of the terminal; must be cheap where there is nothing to find. */
  read(piece: Buffer): readonly ObservedOutput[];
}

/** How a program says that its usage limit is reached. */
export interface LimitSigns {
  /** Reads stdout and stderr, one reader for each; null: nothing in its output says so. */
  reader(): LimitReader | null;
  /** The exit code that says so; null: none does. */
  readonly code: number | null;
}

export interface Rung {
  readonly signal: NodeJS.Signals;
  /** `group`: as a terminal's Ctrl-C. `tree`: every process of the attempt that may be stopped (S2). */
  readonly to: "group" | "tree";
  /** How long it may take before the next rung. */
  readonly waitMs: number;
  /** The tree is captured before this signal: what stands now may be cut off half-way. */
  readonly isCapturedBefore: boolean;
}

export interface Agent {
  readonly name: string;
  /** Whether it reports its turns itself. One that does not has one turn per attempt (DESIGN 9). */
  readonly reportsTurns: boolean;
  prepare(command: readonly string[], session: { readonly id: string; readonly attempt: number }): Launch;
  reader(): OutputReader;
  readonly limit: LimitSigns;
  /** How it is asked to end, mildest first; the last must be SIGKILL. */
  stopLadder(drainMs: number): readonly Rung[];
  /** What to write to its input so that it hears a notice; null: it cannot. */
  notice(text: string): string | null;
  /** The command that goes on with its conversation; null: it knows none. */
  resume(nativeId: string, command: readonly string[]): readonly string[] | null;
}

/** After SIGTERM: what is left of the drain's order of magnitude, never long enough to outlast a service manager. */
const TERM_SHARE = 6;
const LEAST_TERM_MS = 500;
const LONGEST_TERM_MS = 5000;

/**
 * SIGINT first: it is what agents save their work on. With a drain of 6 s the last signal comes after 7 s, before
 * the 7.5 s in which a CI system repeats its own.
 */
export function defaultLadder(drainMs: number): readonly Rung[] {
  const termMs = Math.min(LONGEST_TERM_MS, Math.max(LEAST_TERM_MS, drainMs / TERM_SHARE));
  return [
    { signal: "SIGINT", to: "group", waitMs: drainMs, isCapturedBefore: false },
    { signal: "SIGTERM", to: "tree", waitMs: termMs, isCapturedBefore: true },
    { signal: "SIGKILL", to: "tree", waitMs: termMs, isCapturedBefore: false },
  ];
}
