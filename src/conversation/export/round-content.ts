/**
 * The parts of a message and the outcome of a call as content, and every sentence an export adds. Blank texts,
 * other people's thinking and unknown parts stay out.
 */
import { isJsonObject, type Json } from "../../model/json.ts";
import { isMedia, isText, isThinking, type Part } from "../../model/parts.ts";
import type { Effect } from "../../model/record.ts";
import type { ViewCall, ViewMessage, ViewResult } from "../../model/view.ts";
import { mediaContent } from "./image.ts";
import type { AssistantBlock, CallKey, Content, RoundResult, SystemRound, UserRound } from "./round.ts";
import { isBlank, wellFormedJson } from "./well-formed.ts";

/**
 * Every sentence an export adds of its own. They are said to the model only and never stored; square
 * brackets set them apart from what a person or a tool said.
 */
export const FORGOTTEN = "[forgotten]";
export const EMPTY_RESULT = "(empty result)";

export const CUT_OFF_NOTE = "[Your answer above was cut off here. Go on from exactly where it stops.]";
export const GO_ON_NOTE = "[Go on from here. If nothing is left to do, say so.]";
export const STOPPED_NOTE = "[The person stopped this turn here; it was not finished.]";
export const NOTHING_TO_ANSWER = "[This turn was begun without a message.]";
export const EARLIER_NOTE = "[Earlier messages of this conversation are not shown.]";
export const BEGINS_NOTE = "[The conversation begins with the assistant.]";
export const SUMMARY_LABEL = "[Summary of the conversation before this point]";
export const SYSTEM_LABEL = "[System message, given at this point of the conversation]";

export const STILL_RUNNING = "[Still running: no result yet.]";
export const CANCELLED = "[Cancelled: the tool was stopped before it finished.]";
export const INTERRUPTED =
  "[Interrupted: the tool did not finish; what it did until then may have happened.]";
export const FAILED_PREFIX = "[The tool failed]";

/** What a model is told of a call nobody saw end (C4), graded by its effect. */
const MAY_HAVE_DONE: Readonly<Record<Effect, string>> = {
  none: "It changes nothing, so it is safe to repeat.",
  idempotent: "It may have run; running it again ends in the same state.",
  unknown: "It may have run, in part or in full: inspect the state before you retry it.",
};
const ENDED = "the session ended before the tool reported.";
/** It was no accident: whoever reads it must not take it for one. */
const STOPPED = "the person stopped this turn before the tool reported.";
const unknownOutcome = (why: string, effect: Effect): string =>
  `[Outcome unknown: ${why} ${MAY_HAVE_DONE[effect]}]`;

/** A user's or the system's message, or null when nothing of it is left. */
export function inputRound(message: ViewMessage): UserRound | SystemRound | null {
  const content = message.isForgotten ? [textOf(FORGOTTEN)] : partsOf(message).flatMap(partContent);
  if (content.length === 0) return null;
  // A summary stands in for what was said by both sides: whatever its role, it is told to the model.
  if (message.isSummary) return { kind: "user", content: [textOf(SUMMARY_LABEL), ...content], isNote: false };
  if (message.role === "system") return { kind: "system", text: content.map(plain).join("\n\n") };
  return { kind: "user", content, isNote: false };
}

/** An assistant's message as blocks, in its own order. */
export function answerBlocks(message: ViewMessage): AssistantBlock[] {
  if (message.isForgotten) return [{ kind: "text", text: FORGOTTEN, message: message.id }];
  return partsOf(message).flatMap((part): AssistantBlock[] => {
    const thinking = thinkingBlock(part, message.id);
    if (thinking !== null) return [thinking];
    // No provider takes an image from the assistant.
    return partContent(part).map((content) => ({ kind: "text", text: plain(content), message: message.id }));
  });
}

export function plain(content: Content): string {
  return content.kind === "text" ? content.text : content.placeholder;
}

/** A body is read back as it was stored; what is no object is no part. */
function partsOf(message: ViewMessage): Part[] {
  return message.parts.filter((part: unknown): part is Part => isJsonObject(part));
}

function partContent(part: Part): Content[] {
  if (isText(part)) return isBlank(part.text) ? [] : [textOf(part.text.toWellFormed())];
  return isMedia(part) ? [mediaContent(part)] : [];
}

function thinkingBlock(part: Part, message: string): AssistantBlock | null {
  // Redacted thinking is kept as it came, but cannot be replayed from here; it still counts as thinking.
  const type: string = part.type;
  if (type === "redacted_thinking") {
    return { kind: "thinking", text: "", signature: null, encrypted: null, message };
  }
  if (!isThinking(part)) return null;
  const signature = typeof part.signature === "string" ? part.signature : null;
  const encrypted = typeof part.encrypted === "string" ? part.encrypted : null;
  return { kind: "thinking", text: part.text, signature, encrypted, message };
}

// What a model is told of a call's outcome: its output where there is one, and always the truth about it (C4).

/** How the call's turn stands: open, or stopped by a person. */
export interface TurnState {
  readonly openTurn: string | null;
  readonly stoppedTurns: ReadonlySet<string>;
}

export function roundResult(call: ViewCall, key: CallKey, turns: TurnState): RoundResult {
  const result = call.result;
  const unseen = outcomeUnseen(call, turns);
  if (result === null) {
    // A call left open by a turn that is over: recovery has not closed it yet, so nobody knows.
    const isLive = call.turn === turns.openTurn;
    if (!isLive) return { key, ...unseen };
    return { key, content: [textOf(STILL_RUNNING)], isError: false, isTold: true };
  }
  // The output of a synthetic result is recovery's own sentence, never the tool's: it would say this twice.
  if (result.isSynthetic) return { key, ...unseen };
  const said = preface(call, result);
  const content = result.isForgotten ? [textOf(FORGOTTEN)] : outputContent(result.output);
  if (said !== null) return { key, content: [textOf(said), ...content], isError: true, isTold: true };
  const shown = content.length === 0 ? [textOf(EMPTY_RESULT)] : content;
  return { key, content: shown, isError: result.status === "failed", isTold: false };
}

function outcomeUnseen(
  { turn, effect, result }: ViewCall,
  { stoppedTurns }: TurnState,
): Omit<RoundResult, "key"> {
  // A result says for itself what it is: what a model has read does not change when its turn is stopped later (R4).
  const isStop = result ? result.isStopped === true : stoppedTurns.has(turn);
  const told = unknownOutcome(isStop ? STOPPED : ENDED, effect);
  return { content: [textOf(told)], isError: true, isTold: true, ...(isStop ? { isStop } : {}) };
}

function preface(call: ViewCall, result: ViewResult): string | null {
  switch (result.status) {
    case "unknown-outcome":
      return unknownOutcome(ENDED, call.effect);
    case "cancelled":
      return CANCELLED;
    case "interrupted":
      return INTERRUPTED;
    case "done":
    case "failed":
      return null;
    default:
      return result.status satisfies never;
  }
}

/** Text as it is, a list of text and media parts as such, anything else as JSON text. */
function outputContent(output: Json): Content[] {
  if (output === null || output === undefined) return [];
  if (typeof output === "string") return isBlank(output) ? [] : [textOf(output.toWellFormed())];
  if (isPartList(output)) return output.flatMap(partContent);
  return [textOf(JSON.stringify(wellFormedJson(output)))];
}

function isPartList(output: unknown): output is Part[] {
  return (
    Array.isArray(output) &&
    output.length > 0 &&
    output.every((item) => typeof item === "object" && item !== null && (isText(item) || isMedia(item)))
  );
}

function textOf(text: string): Content {
  return { kind: "text", text };
}
