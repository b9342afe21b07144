/** `log ID`: the conversation, for a person, for a model, for a provider, or as it goes on. */

import {
  type ConversationLog,
  conversationLog,
  exportLog,
  type LogOrder,
} from "../../../app/sessions/log.ts";
import type { ExportFormat } from "../../../conversation/export/export-as.ts";
import type { Audience } from "../../../conversation/view.ts";
import { DEFAULT_WINDOW_MESSAGES } from "../../../model/limits.ts";
import type { ViewItem } from "../../../model/view.ts";
import { jsonText } from "../../../text/json-text.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { sayTakenOut } from "../../context/without-secrets.ts";
import {
  type CommandInput,
  countOption,
  isSet,
  textArgument,
  textOption,
  usage,
} from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { followed } from "./follow-log.ts";
import { logLines } from "./log-lines.ts";

/** What a follower on a screen sees of what was said before; a program gets everything. */
const FOLLOW_MESSAGES = 50;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const format = textOption(input, "export") as ExportFormat | null;
  const isFollowing = isSet(input, "follow");
  const isRaw = isSet(input, "raw");
  checkFlags(input, format, isFollowing);
  const from = countOption(input, "from", Number.MAX_SAFE_INTEGER);
  const last = countOption(input, "last", DEFAULT_WINDOW_MESSAGES);
  const order = { session: textArgument(input, 0), last, isRaw };
  if (isFollowing) {
    const shown = last ?? (context.out.isJson ? null : FOLLOW_MESSAGES);
    return followed(context, { ...order, last: shown, fromSeq: from });
  }
  if (format !== null) return exported(context, order, format);
  const audience = (textOption(input, "view") ?? "people") as Audience;
  const log = await conversationLog(context, order, audience);
  const { state, redacted } = log;
  sayTakenOut(context, redacted);
  await context.out.result({
    command: "log",
    json: { ...viewJson(log), state, redacted },
    text: () => logLines(context.out, log),
  });
  return EXIT.done;
}

function checkFlags(input: CommandInput, format: ExportFormat | null, isFollowing: boolean): void {
  const has = (name: string): boolean => input.options[name] !== undefined;
  if (isFollowing && (format !== null || has("view")))
    throw usage("--follow shows records as they come: it goes with neither --view nor --export.");
  if (format !== null && has("view")) throw usage("An export is the model's view: leave --view out.");
  if (!isFollowing && has("from")) throw usage("--from goes with --follow.");
  if (has("from") && has("last")) throw usage("--from and --last exclude each other.");
}

async function exported(context: Context, order: LogOrder, format: ExportFormat): Promise<CommandEnd> {
  const { session, value, count } = await exportLog(context, order, format);
  sayTakenOut(context, count);
  await context.out.result({
    command: "log",
    json: { session, format, redacted: count, export: value },
    text: () => [jsonText(value)],
  });
  return EXIT.done;
}

function viewJson({ session, view, before }: ConversationLog): Record<string, unknown> {
  return {
    session,
    view: view.audience,
    head: view.head,
    open_turn: view.openTurn,
    /** Null: messages before the first of these were left out. */
    earlier: view.earlier,
    items: view.items.map((item) => itemJson(item, before)),
  };
}

function itemJson(item: ViewItem, before: ConversationLog["before"]): Record<string, unknown> {
  const { isForgotten, ...rest } = item;
  if (rest.kind === "message") {
    const { isSummary, ...message } = rest;
    return { ...message, summary: isSummary, forgotten: isForgotten };
  }
  const { result, ...call } = rest;
  const ended = result && {
    seq: result.seq,
    status: result.status,
    output: result.output,
    synthetic: result.isSynthetic,
    forgotten: result.isForgotten,
  };
  const image = before.get(call.id);
  return {
    ...call,
    ...(image === undefined ? {} : { before: image }),
    result: ended,
    forgotten: isForgotten,
  };
}
