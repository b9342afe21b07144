/** The long screens of a review: a group's lines, its reasons, the keys, the plan. Made once, and kept while they hold. */

import type { ReviewAsked } from "../../app/salvage/review.ts";
import { RefloatError } from "../../model/errors.ts";
import type { ManifestGroup } from "../../model/manifest.ts";
import type { SettleOutcome } from "../../salvage/settle/settle.ts";
import { escapeForTerminal } from "../../text/escape.ts";
import { settleLines } from "../commands/plans/settle-view.ts";
import type { Context } from "../context/context.ts";
import { hanging } from "../screen/hanging.ts";
import { count, oneLine } from "../screen/words.ts";
import { groupDiff } from "./group-diff.ts";
import { helpPage, reasonsPage } from "./review-screen.ts";
import type { ReviewState } from "./review-state.ts";

export interface ReviewOrder extends ReviewAsked {
  /** Where it is shown. */
  readonly context: Context;
}

export interface ReviewPage {
  readonly title: string;
  readonly lines: readonly string[];
  /** Of a plan that can be carried out. */
  readonly planned: SettleOutcome | null;
}

/** Groups of one plan on its page; nobody scrolls further. */
const MAX_PLANNED_GROUPS = 1000;

export type PageOf = (state: ReviewState, group: ManifestGroup, columns: number) => Promise<ReviewPage>;

/** `onPlanning`: making a plan looks at the tree and may take a moment. */
export function reviewPages(order: ReviewOrder, onPlanning: () => void): PageOf {
  let kept: { readonly of: readonly unknown[]; readonly page: ReviewPage } | null = null;
  return async (state, group, columns) => {
    const { screen, at, choices, message } = state;
    const of =
      screen.kind === "plan"
        ? [choices, message, columns]
        : [screen.kind === "page" ? screen.page : "", at, columns];
    if (kept?.of.every((one, i) => one === of[i])) return kept.page;
    if (screen.kind === "plan") onPlanning();
    const page =
      screen.kind === "plan"
        ? await planPage(order, state, columns)
        : await readingPage(order, state, group, columns);
    kept = { of, page };
    return page;
  };
}

async function readingPage(
  { context, found, groups }: ReviewOrder,
  { screen, at }: ReviewState,
  group: ManifestGroup,
  columns: number,
): Promise<ReviewPage> {
  const { style, typed } = context.out;
  const page = screen.kind === "page" ? screen.page : "help";
  switch (page) {
    case "diff": {
      const judged = groups[at];
      const lines = judged ? await groupDiff(found, judged.group, { style, columns, typed }) : [];
      return { title: `What ${group.id} changes`, lines, planned: null };
    }
    case "reasons": {
      const lines = reasonsPage(style, group, columns, typed);
      return { title: `Why ${group.id} is ${group.verdict}`, lines, planned: null };
    }
    case "help":
      return { title: "Keys", lines: helpPage(style), planned: null };
    default:
      return page satisfies never;
  }
}

async function planPage(order: ReviewOrder, state: ReviewState, columns: number): Promise<ReviewPage> {
  const { context, found, groups } = order;
  const { bold, dim, red } = context.out.style;
  try {
    const settled = await order.plan(state);
    const isCommitting = settled.acts.some(({ act }) => act === "commit");
    const message = escapeForTerminal(messageIn(order, state, settled).trimEnd(), { newlines: "keep" });
    const lines = [
      ...settleLines(context, { found, settled, isDone: false }, MAX_PLANNED_GROUPS),
      ...(isCommitting
        ? ["", bold("The commit's message"), ...message.split("\n").map((line) => `  ${line}`)]
        : []),
      "",
      dim(context.out.typed("One refloat undo takes all of it back.")),
    ];
    return { title: `The plan for ${count(groups.length, "group")}`, lines, planned: settled };
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    const wrapped = (text: string): string[] => hanging(oneLine(text), "  ", columns);
    const lines = [...wrapped(thrown.message).map(red), "", ...wrapped(context.out.typed(thrown.hint))];
    return { title: "This cannot be done", lines, planned: null };
  }
}

/**
 * What the commit will say: of a plan, of the groups it commits, which are not those in conflict (T1). Before there is one, of those
 * chosen; before anything is to be committed, as if the group on the screen were.
 */
export function messageIn(
  { groups, messageOf }: ReviewOrder,
  { at, choices, message }: ReviewState,
  planned: SettleOutcome | null,
): string {
  const all = groups.map(({ group }) => group);
  const chosen = all.filter(({ id }) => choices.get(id)?.act === "commit");
  const committed = planned?.acts.flatMap(({ act, group }) => (act === "commit" ? [group] : [])) ?? chosen;
  return message ?? messageOf(committed.length > 0 ? committed : all.slice(at, at + 1));
}
