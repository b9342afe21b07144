/** What settling would do and did: as the contract's JSON (DESIGN 10), and as lines of a screen. */

import type { Conflict } from "../../../acts/plans/outcome.ts";
import { conflictJson } from "../../../app/acts/told-act.ts";
import { whyNothing } from "../../../app/salvage/in-order.ts";
import { leftByDiscard, leftJson } from "../../../app/salvage/left-by-discard.ts";
import { planId, toldSettle } from "../../../app/salvage/told-settle.ts";
import type { Salvage } from "../../../salvage/judging/salvage.ts";
import type { GroupAct, SettleAct } from "../../../salvage/settle/policy.ts";
import type { SettleOutcome } from "../../../salvage/settle/settle.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { truncateToWidth } from "../../../text/width.ts";
import { aboutLines } from "../../context/about.ts";
import type { Context } from "../../context/context.ts";
import { hanging } from "../../screen/hanging.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";
import { leftLines } from "./act-view.ts";
import { inOrder, newerOrders } from "./in-order.ts";

/** Groups shown with their paths and reasons; any other has a line of its own ... */
const MAX_GROUPS = 12;
/** ... but for those that are left where there are more than anybody reads. */
const MAX_LEFT_LINES = 200;
const MAX_PATHS = 4;
const MAX_CONFLICTS = 20;

export interface SettleView {
  readonly found: Salvage;
  readonly settled: SettleOutcome;
  /** It was done, or there was nothing to do. */
  readonly isDone: boolean;
  /** What is left alone is said, too. */
  readonly saysLeft?: boolean;
}

export function settleJson(context: Context, view: SettleView): Record<string, unknown> {
  const { out } = context;
  const { found, settled, isDone, saysLeft } = view;
  const next = nextIn(context, view);
  const id = planId(settled);
  return {
    plan: toldSettle(view),
    done: isDone && (id !== null || settled.conflicts.length === 0),
    conflicts: settled.conflicts.map(conflictJson),
    commit: settled.commit,
    ...(settled.branch === null ? {} : { branch: settled.branch }),
    undo: id === null ? null : out.typed(`refloat undo --plan ${shellLineWord(id)}`),
    ...(next.length === 0 ? {} : { next }),
    ...(saysLeft ? leftJson(found, settled) : {}),
  };
}

/** What is typed as one is one. */
function nextIn(context: Context, view: SettleView): readonly string[] {
  const { commands, isStepwise } = inOrder(context, view);
  if (commands.length > 0) return isStepwise ? commands : [commands.join(" && ")];
  return newerOrders(context, view);
}

const WORDS: Readonly<Record<SettleAct, readonly [plan: string, done: string]>> = {
  commit: ["commit ", "committed"],
  park: ["park   ", "parked   "],
  discard: ["discard", "discarded"],
  leave: ["leave  ", "left     "],
};

export function settleLines(
  context: Context,
  { found, settled, isDone, saysLeft }: SettleView,
  mostGroups = MAX_GROUPS,
): string[] {
  const { dim, bold, green, yellow } = context.out.style;
  const { acts, conflicts, commit, branch, outcome } = settled;
  // What is done comes first, and all of it is told: nobody agrees to what he was not shown (T1).
  const [doing, left] = [
    acts.filter(({ act }) => act !== "leave"),
    acts.filter(({ act }) => act === "leave"),
  ];
  const room = Math.max(0, mostGroups - doing.length);
  const shown = [
    ...doing.slice(0, mostGroups).flatMap((one) => groupLines(context, one, isDone)),
    ...doing.slice(mostGroups).map((one) => groupLine(context, one, isDone)),
    ...left.slice(0, room).flatMap((one) => groupLines(context, one, isDone)),
    ...left.slice(room, room + MAX_LEFT_LINES).map((one) => groupLine(context, one, isDone)),
  ];
  const rest = left.length - room - MAX_LEFT_LINES;
  const isChanged = outcome.kind === "done";
  return [
    ...aboutLines(context),
    ...(acts.length === 0 ? nothingLines(context, { found, settled, isDone }) : shown),
    ...(rest > 0
      ? [
          dim(
            `and ${count(rest, "more group")} left as ${rest === 1 ? "it is" : "they are"} (--json has them)`,
          ),
        ]
      : []),
    ...(!isDone && acts.some(({ act }) => act === "commit") && isDetached(found)
      ? hanging("HEAD is on no branch: the commit moves HEAD alone.", "", context.out.columns)
      : []),
    ...conflictLines(context, conflicts),
    ...orderLines(context, { found, settled, isDone }),
    ...(saysLeft ? unlistedLines(context, found, settled) : []),
    ...(isChanged
      ? [
          green("Done.") +
            (commit === null ? "" : ` The commit is ${bold(commit.slice(0, 12))}${placeText(found)}.`) +
            branchText(branch),
        ]
      : []),
    ...(isDone && !isChanged && acts.length > 0 ? [yellow("Nothing was changed.")] : []),
    ...(isChanged
      ? [dim(context.out.typed(`Taken back by: refloat undo --plan ${shellLineWord(shortId(outcome.plan))}`))]
      : []),
  ];
}

/** What could not be looked into is not "nothing" (W4, T1). */
function nothingLines(context: Context, view: SettleView): string[] {
  const { style, columns, typed } = context.out;
  const { newer, gaps } = whyNothing(view);
  if (newer.length > 0)
    return [
      style.yellow("Nothing to settle alone: a newer session went on with what it left uncommitted:"),
      ...newer
        .slice(0, MAX_PATHS)
        .flatMap(({ path, by }) =>
          hanging(`  ${shownPath(path)}: session ${shortId(by)}`, "      ", columns),
        ),
      "This says in which order both are committed:",
      ...newerOrders(context, view).map((command) => `  ${command}`),
    ];
  if (gaps.length === 0) return ["Nothing to settle."];
  const rest = gaps.length - MAX_PATHS;
  return [
    style.yellow("Nothing to settle, but this could not be looked into:"),
    ...gaps
      .slice(0, MAX_PATHS)
      .flatMap(({ path, why }) => hanging(`  ${shownPath(path)}: ${oneLine(why)}`, "      ", columns)),
    ...(rest > 0 ? [style.dim(typed(`  and ${rest} more (\`refloat inspect\` has them)`))] : []),
  ];
}

/** What no act of the plan tells of. */
function unlistedLines(context: Context, found: Salvage, settled: SettleOutcome): string[] {
  const listed = new Set(settled.acts.flatMap(({ group }) => group.changes.map(({ change }) => change.path)));
  const left = leftByDiscard(found, settled).filter(({ path }) => !listed.has(path));
  return leftLines(context, left).flatMap((line) => hanging(line, "      ", context.out.columns));
}

/** No branch has the commit then: HEAD alone was moved to it (DESIGN 15). */
const placeText = (found: Salvage): string => (isDetached(found) ? ", and HEAD, on no branch, is there" : "");

function isDetached({ owned }: Salvage): boolean {
  const { head } = owned.now.reading;
  return head?.branch === null;
}

const branchText = (branch: SettleOutcome["branch"]): string =>
  branch === null ? "" : ` The branch ${oneLine(branch.name)} has it, as ${branch.commit.slice(0, 12)}.`;

function groupLine(context: Context, { group, act }: GroupAct, isDone: boolean): string {
  const [plan, done] = WORDS[act];
  const [first] = group.changes;
  const more = group.changes.length - 1;
  const paths = `${first ? shownPath(first.change.path) : ""}${more > 0 ? ` and ${more} more` : ""}`;
  const line = `${isDone ? done : plan}  ${group.id}  ${group.verdict}  ${paths}`;
  return truncateToWidth(line, context.out.columns);
}

function groupLines(context: Context, { group, act, why }: GroupAct, isDone: boolean): string[] {
  const { bold, dim } = context.out.style;
  const [plan, done] = WORDS[act];
  const paths = group.changes.map(({ change }) => shownPath(change.path));
  const more = paths.length - MAX_PATHS;
  const reason = why ?? group.reasons[0]?.message ?? null;
  return [
    `${bold(isDone ? done : plan)}  ${group.id}  ${group.verdict}`,
    ...paths.slice(0, MAX_PATHS).flatMap((path) => hanging(`  ${path}`, "      ", context.out.columns)),
    ...(more > 0 ? [dim(`  and ${count(more, "more", "more")}`)] : []),
    ...(reason === null ? [] : hanging(`  - ${oneLine(reason)}`, "    ", context.out.columns).map(dim)),
  ];
}

/** A line for each, which a shell takes as one command (T6). */
function orderLines(context: Context, view: SettleView): string[] {
  const { commands, isStepwise } = inOrder(context, view);
  const last = commands.length - 1;
  if (isStepwise)
    return [
      ...hanging(
        "The older work stands upon older work, and says its own order first. One by one:",
        "",
        context.out.columns,
      ),
      ...commands.map((command) => `  ${command}`),
    ];
  const lines = commands.map((command, at) => `  ${command}${at < last ? " &&" : ""}`);
  return last < 0 ? [] : ["This commits the older work first, then this:", ...lines];
}

function conflictLines(context: Context, conflicts: readonly Conflict[]): string[] {
  if (conflicts.length === 0) return [];
  const shown = conflicts
    .slice(0, MAX_CONFLICTS)
    .flatMap(({ path, why }) =>
      hanging(
        `  ${shownPath(path)}: ${oneLine(why ?? "it changed meanwhile")}`,
        "      ",
        context.out.columns,
      ),
    );
  const more = conflicts.length - MAX_CONFLICTS;
  return [
    context.out.style.yellow("In conflict; their groups are left whole and untouched:"),
    ...shown,
    ...(more > 0 ? [`  and ${count(more, "more", "more")}`] : []),
  ];
}
