/** A conversation as text for a screen. Messages whole, a tool's output shortened; everything escaped (T3). */
import type { ConversationLog } from "../../../app/sessions/log.ts";
import { statusSaid } from "../../../model/call-output.ts";
import { isMedia, isText, isThinking, type Part } from "../../../model/parts.ts";
import type { ViewCall, ViewItem, ViewMessage } from "../../../model/view.ts";
import { beforeWords } from "../../../text/before-words.ts";
import { escapeForTerminal } from "../../../text/escape.ts";
import { truncateToWidth, wrapToWidth } from "../../../text/width.ts";
import { callInputText, callOutputText } from "../../screen/call-text.ts";
import type { Output } from "../../screen/output.ts";
import { statusText } from "../../screen/state-text.ts";
import { count } from "../../screen/words.ts";

/** Lines of one tool's output; JSON has all of it. */
const MAX_OUTPUT_LINES = 10;
/** Looked at for those lines: a 20 MB output is not wrapped to show ten lines of it. */
const MAX_OUTPUT_CHARS = 8000;

export function logLines(out: Output, { view, turns, state, before }: ConversationLog): string[] {
  const isLive = state === "live"; // else nobody will write the results that are missing
  const lines: string[] = [];
  if (view.earlier !== 0) lines.push(out.style.dim("... earlier messages are left out (--last N)"), "");
  let turn: string | null = null;
  for (const item of view.items) {
    if (item.turn !== null && item.turn !== turn) {
      turn = item.turn;
      lines.push(turnRule(out, turns.get(turn)?.outcome ?? (isLive ? "open" : "cut off")));
    }
    const image = item.kind === "call" ? before.get(item.id) : undefined;
    const held = image === undefined ? [] : [`  ${out.style.dim(out.typed(beforeWords(image)))}`];
    lines.push(...itemLines(out, item, isLive), ...held, "");
  }
  if (view.items.length === 0) lines.push("Nothing was said yet.");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function turnRule(out: Output, word: string): string {
  return `${out.style.dim("── turn, ")}${statusText(out.style, word)} ${out.style.dim("─".repeat(Math.max(0, out.columns - word.length - 10)))}`;
}

function itemLines(out: Output, item: ViewItem, isLive: boolean): string[] {
  return item.kind === "message" ? messageLines(out, item, isLive) : callLines(out, item, isLive);
}

/** One that is open is being written as long as somebody lives who does; else it was cut off, whether that is on record or not (C3). */
function noteOf({ isForgotten, isSummary, state }: ViewMessage, isLive: boolean): string | null {
  if (isForgotten) return "forgotten";
  if (isSummary) return "summary of what is hidden from the model";
  if (state === "final") return null;
  return state === "open" && isLive ? "still being written" : "cut off";
}

function messageLines(out: Output, message: ViewMessage, isLive: boolean): string[] {
  const { style } = out;
  const note = noteOf(message, isLive);
  const head = style.bold(message.role) + (note === null ? "" : style.dim(` (${note})`));
  return [head, ...message.parts.flatMap((part) => partLines(out, part))];
}

export function partLines(out: Output, part: Part): string[] {
  if (isText(part)) return indented(out, part.text);
  if (isThinking(part)) return indented(out, part.text).map((line) => out.style.dim(line));
  if (isMedia(part)) return indented(out, `[${part.media_type}${part.name ? `, ${part.name}` : ""}]`);
  return indented(out, `[${part.type}]`);
}

export function callHead(out: Output, call: Pick<ViewCall, "tool" | "input" | "isForgotten">): string {
  const about = call.isForgotten ? "(forgotten)" : callInputText(call.input);
  const tool = escapeForTerminal(call.tool, { newlines: "show" });
  return truncateToWidth(`${out.style.cyan("▸")} ${out.style.bold(tool)}  ${about}`, out.columns);
}

/** `tool` is named where the call itself does not stand right above. */
export function resultLines(
  out: Output,
  result: NonNullable<ViewCall["result"]>,
  tool: string | null = null,
): string[] {
  const status = statusSaid(result.status, result.output);
  const said = result.isForgotten ? "(forgotten)" : callOutputText(result.output);
  const all = said === "" ? [] : indented(out, said.slice(0, MAX_OUTPUT_CHARS));
  const shown = all.slice(0, MAX_OUTPUT_LINES);
  const more = all.length - shown.length;
  const isCut = more > 0 || said.length > MAX_OUTPUT_CHARS;
  return [
    `  ${tool === null ? "" : `${escapeForTerminal(tool, { newlines: "show" })}: `}${statusText(out.style, status)}`,
    ...shown,
    ...(isCut ? [`  ${out.style.dim(`... more (${count(said.length, "character")}; --json has all)`)}`] : []),
  ];
}

function callLines(out: Output, call: ViewCall, isLive: boolean): string[] {
  if (call.result) return [callHead(out, call), ...resultLines(out, call.result)];
  const state = isLive ? out.style.dim("no result yet") : statusText(out.style, "unknown-outcome");
  return [callHead(out, call), `  ${state}`];
}

function indented(out: Output, text: string): string[] {
  const safe = escapeForTerminal(text, { newlines: "keep" });
  return wrapToWidth(safe, out.columns - 2).map((line) => (line === "" ? "" : `  ${line}`));
}
