/** `log ID`: the conversation, for a person, for a model, for a provider, or as it goes on. */

import { findSession } from "../../../app/sessions/find-session.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { CLOSED_BY_RECOVERY, openThings } from "../../../conversation/begin.ts";
import { closeLeftOpen } from "../../../conversation/close-left-open.ts";
import { type ExportFormat, exportAs } from "../../../conversation/export/export-as.ts";
import { type Audience, loadWindow, viewOf, type Window } from "../../../conversation/view.ts";
import { DEFAULT_WINDOW_MESSAGES } from "../../../model/limits.ts";
import type { View, ViewItem } from "../../../model/view.ts";
import { describeSession } from "../../../session/describe.ts";
import { NO_DIRTY_ENDS } from "../../../session/escalation.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { withoutSecrets } from "../../../text/without-secrets.ts";
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
import { jsonText } from "../../screen/json-text.ts";
import { followLog } from "./follow-log.ts";
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
  const { store, row } = await findSession(context, textArgument(input, 0));
  if (isFollowing)
    return followLog(context, store, row, {
      fromSeq: from ?? (await followFrom(context, last, store, row)),
      isRaw,
    });
  const window = await loadWindow(store.raw, row.id, row.head, last ?? DEFAULT_WINDOW_MESSAGES);
  const { state } = await describeSession(store.raw, row);
  if (format !== null) {
    if (state !== "live") await settleInMemory(store, row, window);
    return exportView(context, row, window, { format, isRaw });
  }
  const audience = (textOption(input, "view") ?? "people") as Audience;
  const whole = viewOf(window.fold, audience, window.earlier);
  const { value: items, count } = await withoutSecrets(whole.items, isRaw);
  sayTakenOut(context, count);
  const view = { ...whole, items };
  await context.out.result({
    command: "log",
    json: { ...viewJson(row, view), state, redacted: count },
    text: () => logLines(context.out, { view, turns: window.fold.turns, isLive: state === "live" }),
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

async function followFrom(
  context: Context,
  typed: number | null,
  store: RefloatStore,
  row: SessionRow,
): Promise<number> {
  const last = typed ?? (context.out.isJson ? null : FOLLOW_MESSAGES);
  if (last === null) return 1;
  const { fold, earlier } = await loadWindow(store.raw, row.id, row.head, last);
  return earlier === 0 ? 1 : (fold.items[0]?.seq ?? 1);
}

/**
 * What the next owner's recovery would write, without writing it: an export of a session whose owner is gone
 * says of an open call that its outcome is unknown, never that it still runs (C4, T1).
 */
async function settleInMemory({ raw }: RefloatStore, row: SessionRow, { fold }: Window): Promise<void> {
  const things = await openThings(raw, row.id, {
    open: await raw.open(row.id, { what: CLOSED_BY_RECOVERY }),
  });
  const { records } = closeLeftOpen(raw.clock, things, { ...NO_DIRTY_ENDS, cause: "unknown" });
  records.forEach((record, i) => {
    const seq = row.head + 1 + i;
    fold.add({ ...record, session: row.id, seq, attempt: null, isForgotten: false, isDamaged: false });
  });
}

async function exportView(
  context: Context,
  row: SessionRow,
  { fold, earlier }: Window,
  { format, isRaw }: { readonly format: ExportFormat; readonly isRaw: boolean },
): Promise<CommandEnd> {
  const whole = exportAs(format, viewOf(fold, "model", earlier));
  const { value, count } = await withoutSecrets(whole, isRaw);
  sayTakenOut(context, count);
  await context.out.result({
    command: "log",
    json: { session: row.id, format, redacted: count, export: value },
    text: () => [jsonText(value)],
  });
  return EXIT.done;
}

function viewJson(row: SessionRow, view: View): Record<string, unknown> {
  return {
    session: row.id,
    view: view.audience,
    head: view.head,
    open_turn: view.openTurn,
    /** Null: messages before the first of these were left out. */
    earlier: view.earlier,
    items: view.items.map(itemJson),
  };
}

function itemJson(item: ViewItem): Record<string, unknown> {
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
  return { ...call, result: ended, forgotten: isForgotten };
}
