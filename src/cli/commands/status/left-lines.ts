/** What sessions left, for the screen of bare `refloat`. Text from outside is made harmless (T3). */

import type { StatusGroup } from "../../../app/status/status-groups.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { truncateToWidth } from "../../../text/width.ts";
import type { Context } from "../../context/context.ts";
import { groupLine, VERDICTS, verdictCounts } from "../../screen/group-text.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";

/** Beside six sessions and what to type next. */
const MAX_GROUP_LINES = 6;

/** Why it was not judged, in words. */
export interface ShownNotJudged {
  readonly session: string;
  readonly why: string;
}

/** What was left, a line a group: its verdict, its id, its first path, the first reason. */
export function leftLines(
  context: Context,
  ids: readonly string[],
  {
    groups,
    notJudged,
  }: { readonly groups: readonly StatusGroup[]; readonly notJudged: readonly ShownNotJudged[] },
): string[] {
  if (groups.length + notJudged.length === 0) return [];
  const { style, columns } = context.out;
  const isSeveral = new Set([...groups, ...notJudged].map(({ session }) => session)).size > 1;
  // Stable: of one verdict the newest session's first.
  const worstFirst = groups.toSorted((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict));
  const lines = [
    ...worstFirst.map(
      (group) =>
        `  ${groupLine(style, group, { columns: columns - 2, of: isSeveral ? `${shortId(group.session, ids)}  ` : "" })}`,
    ),
    ...notJudged.map(
      ({ session, why }) => `  ${style.dim(`${shortId(session, ids)} was not judged here: ${oneLine(why)}`)}`,
    ),
  ];
  const shown = lines.length <= MAX_GROUP_LINES ? lines : lines.slice(0, MAX_GROUP_LINES - 1);
  const more = lines.length - shown.length;
  const hidden = verdictCounts(worstFirst.slice(shown.length));
  const held = [...new Set(groups.filter((group) => group.held === true).map(({ session }) => session))];
  return [
    "",
    style.dim("What was left"),
    // W8: whoever looks into the tree for it would not find it.
    ...held.map((session) =>
      context.out.typed(
        `  ${shortId(session, ids)} is held, not in this tree: refloat restore ${shellLineWord(shortId(session, ids))}`,
      ),
    ),
    ...shown.map((line) => truncateToWidth(line, columns)),
    ...(more > 0
      ? [
          style.dim(
            context.out.typed(
              `  and ${count(more, "more", "more")}${hidden === "" ? "" : ` (${hidden})`}: refloat inspect`,
            ),
          ),
        ]
      : []),
  ];
}
