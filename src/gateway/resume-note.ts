/**
 * What the model is told about an interruption, as text for one request: it is never part of the conversation
 * and never stored as user text. Pure, bounded (T5).
 */
import type { Effect } from "../model/record.ts";
import { cutToBytes } from "../text/cut-to-bytes.ts";

/** More open calls than this are counted, not listed: the note must stay short beside the conversation. */
const MAX_LISTED_CALLS = 20;
/** A tool's name comes from outside; more of it than this says nothing. */
const MAX_TOOL_BYTES = 80;

export interface NoteFacts {
  /** `resumed`: the interrupted turn goes on. `new-input`: it was left, and a new input is to be answered. */
  readonly kind: "resumed" | "new-input";
  readonly isAttended: boolean;
  readonly cause: string;
  /** Calls whose end nobody saw. */
  readonly calls: readonly { readonly tool: string; readonly effect: Effect }[];
}

export function resumeNote(facts: NoteFacts): string {
  return [
    `The turn before was interrupted: this process ended (cause: ${facts.cause}) and was started again.`,
    facts.kind === "resumed" ? goOn(facts.isAttended) : answerFirst(),
    "Commands in the history have already run, also any that restarted or stopped this process: do not run them again.",
    ...callLines(facts.calls),
    "Confirmations given before the restart are void. Ask anew before anything that needs one.",
  ].join("\n");
}

/** The first request after a fresh start; the session's id is ours, and quoted all the same (T3). */
export function freshNote(continues: string): string {
  return [
    "This conversation was begun anew; the one before was given up.",
    `Its history is kept in the session ${JSON.stringify(continues)} and is not shown here. What was asked there was left unfinished; do not take it up unless you are asked to.`,
    "Confirmations given there are void. Ask anew before anything that needs one.",
  ].join("\n");
}

function goOn(isAttended: boolean): string {
  const start = "Go on with the last request at the first step that has no recorded result.";
  return isAttended
    ? `${start} Say in a few words that you were interrupted, finish the work, and ask before you repeat a step whose outcome is unknown.`
    : `${start} Nobody is there to ask: check the effect of a step whose outcome is unknown, then finish the work.`;
}

function answerFirst(): string {
  return "Answer the new message first. The interrupted request was left unfinished: take it up only if the new message asks for it.";
}

function callLines(calls: NoteFacts["calls"]): string[] {
  if (calls.length === 0) return [];
  const listed = calls
    .slice(0, MAX_LISTED_CALLS)
    .map(({ tool, effect }) => `${nameOf(tool)} (${said(effect)})`);
  const rest = calls.length > listed.length ? `, and ${calls.length - listed.length} more` : "";
  return [`The outcome of these calls is unknown: ${listed.join(", ")}${rest}.`];
}

/** Quoted as JSON, so that a name cannot pass for a sentence of ours (T3). */
const nameOf = (tool: string): string => JSON.stringify(cutToBytes(tool, MAX_TOOL_BYTES));

function said(effect: Effect): string {
  switch (effect) {
    case "none":
      return "it only reads";
    case "idempotent":
      return "doing it again gives the same state";
    case "unknown":
      return "it may have happened; look before you do it again";
    default:
      return effect satisfies never;
  }
}
