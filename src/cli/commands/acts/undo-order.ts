/** `undo` of an order that made several plans, each in its own work tree (`settle --repo`): all of them are taken back. */

import { ACTS_PREFIX } from "../../../acts/plans/acts-session.ts";
import { historyOf } from "../../../acts/plans/history.ts";
import { plansOf } from "../../../acts/plans/plans.ts";
import { workspaceHere } from "../../../app/place/workspace-here.ts";
import { READ_PAGE_ROWS } from "../../../model/limits.ts";
import { bodyAs } from "../../../model/record.ts";
import type { Store } from "../../../store/store.ts";
import { isLongEnough } from "../../../text/by-beginning.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { allOf, type OrderPart, runPart } from "../../context/part-of-order.ts";
import { type CommandInput, isSet, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";

/** Plans looked at, newest first, as `undo` looks at them. */
const MAX_PLANS = 200;

type UndoOne = (context: Context, input: CommandInput) => Promise<CommandEnd>;

/** Null: no such order is meant; the newest act here, or the one named, is taken back by itself. */
export async function undoOrder(
  context: Context,
  input: CommandInput,
  undoOne: UndoOne,
): Promise<CommandEnd | null> {
  const store = await context.findStore();
  if (!store) return null;
  const typed = textOption(input, "plan");
  const order = typed ?? (await newestOrder(context, store.raw));
  const plans = order === null ? [] : await plansOfOrder(store.raw, order);
  if (plans.length === 0) return null;
  const each = async (isDryRun: boolean): Promise<OrderPart[]> => {
    const parts: OrderPart[] = [];
    for (const plan of plans) parts.push(await runPart(context, input, { plan, dryRun: isDryRun }, undoOne));
    // What an earlier undo brought back is no failure of this one.
    const rest = parts.filter(({ error }) => error?.code !== "E_NOTHING_TO_UNDO");
    return rest.length > 0 ? rest : parts;
  };
  const planned = await each(true);
  if (isSet(input, "dryRun")) return tell(context, planned, false);
  const plan = { json: planJson(planned), text: () => linesOf(planned) };
  if (!(await confirmed(context, plan))) return EXIT.failed;
  return tell(context, await each(false), true);
}

/** Of the newest act that stands in this tree. */
async function newestOrder(context: Context, store: Store): Promise<string | null> {
  const { workspace } = await workspaceHere(context, await context.findStore());
  const plans = [];
  for await (const plan of plansOf(store, workspace)) {
    plans.push(plan);
    if (plans.length === MAX_PLANS) break;
  }
  const order = historyOf(plans).standing[0]?.data.order;
  return typeof order === "string" ? order : null;
}

/** Newest first in each tree; between trees their order does not matter. */
async function plansOfOrder(store: Store, order: string): Promise<string[]> {
  if (!isLongEnough(order)) return [];
  const found: { readonly plan: string; readonly order: string }[] = [];
  for (const { id: session } of await store.sessions({ prefix: ACTS_PREFIX })) {
    const kinds = ["plan.made"] as const;
    for (const record of await store.records({ session, kinds, order: "backward", limit: READ_PAGE_ROWS })) {
      const body = bodyAs(record, "plan.made");
      const of = body?.data.order;
      if (body && typeof of === "string" && of.startsWith(order)) found.push({ plan: body.plan, order: of });
    }
  }
  return new Set(found.map((one) => one.order)).size === 1 ? found.map(({ plan }) => plan) : [];
}

const planJson = (parts: readonly OrderPart[]): Record<string, unknown> => ({
  id: null,
  session: null,
  acts: parts.flatMap(
    ({ json }) => ((json.plan as { acts?: unknown[] } | undefined)?.acts ?? []) as unknown[],
  ),
});

const linesOf = (parts: readonly OrderPart[]): string[] => parts.flatMap(({ lines }) => [...lines, ""]);

async function tell(context: Context, parts: readonly OrderPart[], isDone: boolean): Promise<CommandEnd> {
  const conflicts = allOf(parts, "conflicts");
  const failed = parts.flatMap(({ error }) => (error ? [{ code: error.code, message: error.message }] : []));
  await context.out.result({
    command: "undo",
    json: {
      plan: planJson(parts),
      done: isDone && failed.length === 0,
      conflicts,
      commit: null,
      undo: null,
      left: allOf(parts, "left"),
      already: allOf(parts, "already"),
      ...(failed.length > 0 ? { failed } : {}),
    },
    text: () => linesOf(parts),
  });
  if (failed.length > 0) return EXIT.failed;
  return isDone && conflicts.length > 0 ? EXIT.attention : EXIT.done;
}
