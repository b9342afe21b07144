/**
 * `forget (ID | --before DATE | --path GLOB)`: erases on the user's order, the one exception of D2. Nothing is
 * chosen for the user: without a selector it is a usage error, never "the newest session".
 */

import { findSession } from "../../../app/sessions/find-session.ts";
import { forgetIfAgreed } from "../../../app/store/forget.ts";
import type { ForgetResult, ForgetSelector } from "../../../store/forget.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, type ShownPlan } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption, usage } from "../../grammar/options.ts";
import { parseDate } from "../../grammar/parse-date.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { bytesText, count, oneLine, timeText } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const selector = await selectorOf(context, input);
  const { raw: store } = await context.openStore();
  const order = { store, env: context.env, home: await context.home(), selector };
  const planned = (found: ForgetResult): ShownPlan => planOf(selector, found);
  const ask = (found: ForgetResult): Promise<boolean> => confirmed(context, planned(found));
  const outcome = await forgetIfAgreed(order, isSet(input, "dryRun") ? null : ask);
  const plan = planned(outcome.found);
  if (outcome.kind === "declined") {
    await context.out.result({ ...resultOf(plan, null), text: () => ["Nothing was erased."] });
    return EXIT.failed; // a script that goes on after it must not take "no" for "done"
  }
  return tell(context, plan, outcome.kind === "done" ? outcome.done : null);
}

async function selectorOf(context: Context, input: CommandInput): Promise<ForgetSelector> {
  const id = textArgument(input, 0);
  const before = textOption(input, "before");
  const path = textOption(input, "path");
  const given = [id, before, path].filter((one) => one !== null);
  if (given.length !== 1) throw usage("forget takes one of: an id, --before DATE, --path GLOB.");
  const typed = textOption(input, "reason");
  const reason = typed === null ? {} : { reason: typed };
  if (before !== null) return { beforeMs: parseDate(before), ...reason };
  if (path !== null) return { path, ...reason };
  return { session: (await findSession(context, id)).row.id, ...reason };
}

function planOf(selector: ForgetSelector, found: ForgetResult): ShownPlan {
  const { sessions, records, held } = found;
  return {
    json: { ...selectorJson(selector), sessions, records, held },
    text: () => [...planLines(selector, sessions, records), ...heldLines(held)],
  };
}

function planLines(selector: ForgetSelector, sessions: number, records: number): string[] {
  const what = selectorText(selector);
  if (sessions === 0) return [`Nothing to erase: ${what}.`];
  if (records === 0)
    return [`Nothing to erase: ${what} is erased already; the store's files are cleared of it once more.`];
  return [
    `Erase ${count(records, "record")} of ${count(sessions, "session")}: ${what}.`,
    "  What they said and held is gone for good; that it was erased stays on record.",
  ];
}

function selectorJson(selector: ForgetSelector): Record<string, unknown> {
  const { reason = null } = selector;
  if ("session" in selector) return { session: selector.session, reason };
  if ("heldBy" in selector) return { held_by: selector.heldBy, reason };
  if ("path" in selector) return { path: selector.path, reason };
  return { before: new Date(selector.beforeMs).toISOString(), reason };
}

function selectorText(selector: ForgetSelector): string {
  if ("session" in selector) return `all of ${oneLine(selector.session)}`;
  if ("heldBy" in selector) return `what ${oneLine(selector.heldBy)} held`;
  if ("path" in selector) return `what names a path like ${oneLine(selector.path)}`;
  return `what is older than ${timeText(selector.beforeMs)}`;
}

function heldLines(held: readonly string[]): string[] {
  if (held.length === 0) return [];
  const who = held.map((id) => oneLine(id)).join(", ");
  return [`  Left alone, because somebody holds ${held.length === 1 ? "it" : "them"}: ${who}`];
}

function doneLine({ sessions, records, contents, bytes }: ForgetResult): string {
  if (records === 0) return "Nothing to erase any more; the store's files were cleared once more.";
  return (
    `Erased ${count(records, "record")} of ${count(sessions, "session")}; ` +
    `${count(contents, "content")}, ${bytesText(bytes)} given back.`
  );
}

const resultOf = (plan: ShownPlan, done: ForgetResult | null) => ({
  command: "forget",
  json: { plan: plan.json, done: done !== null, forgotten: done },
});

async function tell(context: Context, plan: ShownPlan, done: ForgetResult | null): Promise<CommandEnd> {
  await context.out.result({
    ...resultOf(plan, done),
    text: () => (done === null ? plan.text() : [doneLine(done), ...heldLines(done.held)]),
  });
  return EXIT.done;
}
