/** The screen of bare `refloat`: at most 24 lines of 80 columns. What wants attention first, then what lives, then a count. */
import type { RepositoryScope } from "../../../app/place/scope.ts";
import type { CutOff } from "../../../app/status/cut-off.ts";
import type { StatusCounts } from "../../../app/status/status.ts";
import type { StatusGroup } from "../../../app/status/status-groups.ts";
import type { TreeHere } from "../../../app/status/tree-here.ts";
import type { SessionSummary } from "../../../session/describe.ts";
import { beforeWords } from "../../../text/before-words.ts";
import { truncateToWidth } from "../../../text/width.ts";
import type { Context } from "../../context/context.ts";
import { shortId } from "../../screen/short-id.ts";
import { endWords, stateText } from "../../screen/state-text.ts";
import { type Column, tableLines } from "../../screen/table.ts";
import { agoText, count, oneLine, ordinal } from "../../screen/words.ts";
import { leftLines, type ShownNotJudged } from "./left-lines.ts";

/** A screen of 24 lines less title, table head, rests and what to type next ... */
const MAX_SHOWN = 12;
/** ... which groups take their share of, where there are any. */
const MAX_SHOWN_WITH_GROUPS = 6;

export interface Screen {
  readonly scope: RepositoryScope;
  readonly sessions: readonly SessionSummary[];
  readonly ids: readonly string[];
  readonly counts: StatusCounts;
  readonly groups: readonly StatusGroup[];
  readonly notJudged: readonly ShownNotJudged[];
  /** What the newest that was cut off was at. */
  readonly cutOff: CutOff | null;
  readonly isSetUp: boolean;
  readonly next: readonly string[];
  /** Null: every workspace is meant, or git does not tell. */
  readonly tree: TreeHere | null;
  /** Where no store was ever made: somebody new, or one who mistyped. Null: there is one. */
  readonly noStoreAt: string | null;
  /** The user said which store. */
  readonly isNamed: boolean;
}

export function statusLines(context: Context, screen: Screen): string[] {
  const { scope, sessions } = screen;
  const { style } = context.out;
  const title = style.bold(titleOf(scope));
  const tree = treeLines(screen);
  const { typed } = context.out;
  if (screen.noStoreAt !== null)
    return [title, ...tree, "", ...newcomerLines(screen, screen.noStoreAt).map(typed)];
  if (sessions.length + screen.counts.finished === 0)
    return [title, ...tree, "", ...emptyLines(screen).map(typed)];
  const wanted = sessions.filter(wantsLook);
  const left = leftLines(context, screen.ids, screen);
  const was = cutOffLines(context, screen);
  const shown = fairly(wanted, (left.length > 0 ? MAX_SHOWN_WITH_GROUPS : MAX_SHOWN) - was.length);
  const table = shown.length > 0 ? ["", ...sessionTable(context, screen, shown)] : [];
  return [
    title,
    ...tree,
    ...table,
    ...movedLines(context, screen.ids, shown),
    ...beforeLines(context, screen.ids, shown),
    ...restLines(context, screen, wanted.length - shown.length),
    ...was,
    ...left,
    ...nextLines(context, screen),
  ];
}

/** A line each: what it was asked, and the call that it was in. Whoever comes back knows by them what this was about. */
function cutOffLines(context: Context, { cutOff, counts, ids }: Screen): string[] {
  if (!cutOff) return [];
  const { style, columns } = context.out;
  const { session, goal, calls } = cutOff;
  const of = counts.interrupted > 1 ? ` (${shortId(session, ids)})` : "";
  const last = calls.at(-1);
  const more = calls.length > 1 ? `, and ${calls.length - 1} more` : "";
  const clip = (line: string): string => truncateToWidth(line, columns);
  return [
    ...(goal === null ? [] : [clip(`Goal${of}: ${oneLine(goal)}`)]),
    ...(last
      ? [style.yellow(clip(`May have happened${of}${more}: ${oneLine(last.tool)} ${oneLine(last.input)}`))]
      : []),
  ];
}

const isDirty = (tree: TreeHere | null): boolean => (tree?.changed ?? 0) > 0;

/** How the tree stands, before anybody is asked what to do about it. */
function treeLines({ tree }: Screen): string[] {
  if (!tree) return [];
  const staged =
    tree.staged > 0 ? `, ${tree.changed === 1 ? "and is" : `${tree.staged} of them`} staged` : "";
  const changed = isDirty(tree)
    ? `${count(tree.changed, "path differs", "paths differ")} from HEAD${staged}.`
    : "Nothing differs from HEAD.";
  const parked =
    tree.parked.length > 0 ? ` ${count(tree.parked.length, "group is", "groups are")} parked.` : "";
  return [`${changed}${parked}`];
}

const wantsLook = ({ state, unsettled }: SessionSummary): boolean =>
  unsettled || state === "live" || state === "interrupted" || state === "suspended";

/** Of each kind the newest, in turn, until the screen is full: none is pushed off it by many of another. */
function fairly(wanted: readonly SessionSummary[], most: number): SessionSummary[] {
  const kinds = [0, 1, 2, 3].map((kind) => wanted.filter((one) => rank(one) === kind));
  const chosen = new Set<SessionSummary>();
  for (let i = 0; chosen.size < Math.min(most, wanted.length); i++)
    for (const kind of kinds) {
      const one = kind[i];
      if (one && chosen.size < most) chosen.add(one);
    }
  return wanted.filter((one) => chosen.has(one)).toSorted((a, b) => rank(a) - rank(b));
}

function rank({ state }: SessionSummary): number {
  if (state === "interrupted") return 0;
  if (state === "suspended") return 1;
  return state === "live" ? 2 : 3;
}

function titleOf({ kind, workspace, places }: RepositoryScope): string {
  if (kind === "all") return "refloat, every workspace";
  const others = places.length - 1;
  const more = others > 0 ? ` and ${count(others, "other work tree")}` : "";
  return `refloat, ${oneLine(workspace ?? "")}${more}`;
}

function sessionTable(context: Context, { scope, ids }: Screen, shown: readonly SessionSummary[]): string[] {
  const { style, columns } = context.out;
  const nowMs = context.clock.nowMs();
  const isElsewhere = shown.some(({ workspace }) => workspace !== scope.workspace);
  const where: Column[] = isElsewhere ? [{ title: "WHERE", shrinkTo: 8 }] : [];
  return tableLines(
    [
      {
        title: "STATE",
        paint: (text) =>
          stateText(style, shown.find(({ state }) => text.startsWith(state))?.state ?? "idle", text),
      },
      { title: "ID", paint: style.bold },
      { title: "AGENT", shrinkTo: 6 },
      { title: "NAME", shrinkTo: 6 },
      { title: "WHAT HAPPENED", shrinkTo: 13 },
      ...where,
    ],
    shown.map((one) => [
      one.unsettled ? `${one.state}, unsettled` : one.state,
      shortId(one.id, ids),
      oneLine(one.agent ?? "-"),
      oneLine(one.name ?? "-"),
      storyOf(one, nowMs),
      ...(isElsewhere ? [placeOf(one.workspace)] : []),
    ]),
    columns,
    style.dim,
  );
}

function storyOf(one: SessionSummary, nowMs: number): string {
  const { state, supervised, last_attempt, dirty_ends, started_at, ended_at } = one;
  const tries = last_attempt > 1 ? `, ${ordinal(last_attempt)} try` : "";
  const since = started_at === null ? "" : `, began ${agoText(Date.parse(started_at), nowMs)}`;
  if (state === "live") return `${supervised ? "at work" : unsupervisedWords(one)}${since}${tries}`;
  if (state === "finished")
    return ended_at === null ? "ended" : `ended ${agoText(Date.parse(ended_at), nowMs)}`;
  // The number first: what follows may be cut off at the screen's edge.
  const times = dirty_ends > 1 ? `${dirty_ends} times in a row: ` : "";
  return `${times}${oneLine(endWords(one))}${since}`;
}

/** One that was never supervised has lost nobody. */
const unsupervisedWords = ({ seen_by = [] }: SessionSummary): string =>
  seen_by.length === 0 || seen_by.includes("supervised")
    ? "its supervisor is gone"
    : `at work, seen by its ${seen_by.join(" and its ")}`;

/** Their own words name the place it was at then: the newest says where. */
function movedLines(
  { out: { columns } }: Context,
  ids: readonly string[],
  shown: readonly SessionSummary[],
): string[] {
  const one = shown.find(({ moved_from }) => moved_from !== undefined);
  if (one?.moved_from === undefined) return [];
  const line = `${shortId(one.id, ids)} was read afterwards; the folder was at ${oneLine(one.moved_from)}`;
  return [truncateToWidth(line, columns)];
}

/** The last name is what people call a work tree by. */
const placeOf = (workspace: string | null): string => oneLine(workspace?.split("/").at(-1) ?? "-");

/** Of those that are, or ended, in a call that may destroy. */
function beforeLines({ out }: Context, ids: readonly string[], shown: readonly SessionSummary[]): string[] {
  return shown.flatMap(({ id, before }) =>
    before === undefined
      ? []
      : [out.style.dim(`${shortId(id, ids)}'s last call may destroy; ${out.typed(beforeWords(before))}`)],
  );
}

function restLines(context: Context, { counts }: Screen, more: number): string[] {
  const { dim } = context.out.style;
  const quiet = counts.finished + counts.idle;
  return [
    ...(more > 0 ? [dim(context.out.typed(`... and ${count(more, "more", "more")}: refloat sessions`))] : []),
    ...(quiet > 0 && counts.live + counts.interrupted + counts.suspended + counts.unsettled === 0
      ? ["", `All quiet: ${count(quiet, "session")} ended, and nothing is open.`]
      : []),
  ];
}

function nextLines(context: Context, { next }: Screen): string[] {
  if (next.length === 0) return [];
  const { dim, bold } = context.out.style;
  return ["", dim("Next"), ...next.map((command) => `  ${bold(command)}`)];
}

const INIT = "  refloat init              keep what your agents do, however you start them";
const INSPECT = "  refloat inspect           judge what an agent has already left in this tree";

/** Who named a store that is not there may have mistyped it: its name is said (T1). */
function newcomerLines({ isNamed, isSetUp, tree }: Screen, noStoreAt: string): string[] {
  return [
    isNamed
      ? `There is no store at ${oneLine(withoutPassword(noStoreAt))}: the first session makes one.`
      : "No session was recorded yet. To begin:",
    ...(isDirty(tree) ? [INSPECT] : []),
    ...(isSetUp ? [] : [INIT]),
    "  refloat run -- claude     run an agent so that nothing it does is lost",
    ...(isDirty(tree) ? [] : [INSPECT]),
    "  refloat demo              kill a session and see what survives",
  ];
}

const withoutPassword = (address: string): string => address.replace(/\/\/[^@/]*@/, "//");

function emptyLines({ scope: { kind }, isSetUp }: Screen): string[] {
  return [
    "No session has worked here.",
    ...(isSetUp ? [] : [INIT]),
    "  refloat run -- claude     run an agent here",
    INSPECT,
    ...(kind === "all" ? [] : ["  refloat --all             the sessions of every workspace"]),
  ];
}
