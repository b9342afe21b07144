/** What a model is told of a call's outcome: its output where there is one, and always the truth about it (C4). */
import type { Json } from "../../model/json.ts";
import { isMedia, isText, type Part } from "../../model/parts.ts";
import type { ViewCall, ViewResult } from "../../model/view.ts";
import { mediaContent } from "./image.ts";
import {
  CANCELLED,
  EMPTY_RESULT,
  FORGOTTEN,
  INTERRUPTED,
  STILL_RUNNING,
  STOPPED_OUTCOME,
  UNKNOWN_OUTCOME,
} from "./notes.ts";
import type { CallKey, Content, RoundResult } from "./round.ts";
import { isBlank, wellFormedJson } from "./well-formed.ts";

/** How the call's turn stands: open, or stopped by a person. */
export interface TurnState {
  readonly openTurn: string | null;
  readonly stoppedTurns: ReadonlySet<string>;
}

export function roundResult(call: ViewCall, key: CallKey, turns: TurnState): RoundResult {
  const result = call.result;
  const unseen = outcomeUnseen(call, turns);
  if (result === null) {
    // A call left open by a turn that is over: recovery has not settled it yet, so nobody knows.
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
  const told = (isStop ? STOPPED_OUTCOME : UNKNOWN_OUTCOME)[effect];
  return { content: [textOf(told)], isError: true, isTold: true, ...(isStop ? { isStop } : {}) };
}

function preface(call: ViewCall, result: ViewResult): string | null {
  switch (result.status) {
    case "unknown-outcome":
      return UNKNOWN_OUTCOME[call.effect];
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

function partContent(item: Part): Content[] {
  if (isText(item)) return isBlank(item.text) ? [] : [textOf(item.text.toWellFormed())];
  return isMedia(item) ? [mediaContent(item)] : [];
}

function textOf(text: string): Content {
  return { kind: "text", text };
}
