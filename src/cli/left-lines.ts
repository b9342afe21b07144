/** What sessions left, for the screen of bare `refloat`. Text from outside is made harmless (T3). */
import type { SessionSummary } from "../session/describe.ts";
import { truncateToWidth } from "../text/width.ts";
import type { Context } from "./context.ts";
import { paintVerdict, shownName } from "./group-text.ts";
import { shortId } from "./short-id.ts";
import type { StatusGroup, StatusGroups } from "./status-groups.ts";
import type { Style } from "./style.ts";
import { count, oneLine } from "./words.ts";

/** What must not be pushed off the screen by many of another kind. */
const WORST: readonly StatusGroup["verdict"][] = ["risky", "unknown", "safe"];
/** Beside six sessions and what to type next. */
const MAX_GROUP_LINES = 6;

/** What was left, a line a group: its verdict, its id, its first path, the first reason. */
export function leftLines(
  context: Context,
  sessions: readonly SessionSummary[],
  { groups, notJudged }: StatusGroups,
): string[] {
  if (groups.length + notJudged.length === 0) return [];
  const { style, columns } = context.out;
  const ids = sessions.map(({ id }) => id);
  const isSeveral = new Set([...groups, ...notJudged].map(({ session }) => session)).size > 1;
  const lines = [
    // Stable: of one verdict the newest session's first.
    ...groups
      .toSorted((a, b) => WORST.indexOf(a.verdict) - WORST.indexOf(b.verdict))
      .map((group) => groupLine(style, group, isSeveral ? `${shortId(group.session, ids)}  ` : "")),
    ...notJudged.map(
      ({ session, why }) => `  ${style.dim(`${shortId(session, ids)} was not judged here: ${oneLine(why)}`)}`,
    ),
  ];
  const shown = lines.length <= MAX_GROUP_LINES ? lines : lines.slice(0, MAX_GROUP_LINES - 1);
  const more = lines.length - shown.length;
  const held = [...new Set(groups.filter((group) => group.held === true).map(({ session }) => session))];
  return [
    "",
    style.dim("What was left"),
    // W8: whoever looks into the tree for it would not find it.
    ...held.map((session) =>
      context.out.typed(
        `  ${shortId(session, ids)} is held, not in this tree: refloat restore ${shortId(session, ids)}`,
      ),
    ),
    ...shown.map((line) => truncateToWidth(line, columns)),
    ...(more > 0
      ? [style.dim(context.out.typed(`  and ${count(more, "more", "more")}: refloat inspect`))]
      : []),
  ];
}

function groupLine(
  style: Style,
  { id, verdict, changes, reasons, left_out = 0 }: StatusGroup,
  of: string,
): string {
  const more = changes.length + left_out - 1;
  const path = `${changes[0] === undefined ? "?" : shownName(changes[0])}${more > 0 ? ` and ${more} more` : ""}`;
  const why = reasons[0] ? style.dim(`  ${oneLine(reasons[0].message)}`) : "";
  return `  ${paintVerdict(style, verdict)}  ${of}${style.bold(id)}  ${path}${why}`;
}
