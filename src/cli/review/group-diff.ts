/** The lines of a group, as `diff` shows them: of a file that was dirty before, the session's part (DESIGN 7). */
import type { Salvage } from "../../salvage/judging/salvage.ts";
import { textOf } from "../../text/text-of.ts";
import type { FileSide } from "../../triage/facts/known/triage-facts.ts";
import type { Group } from "../../triage/verdict/group.ts";
import type { Change } from "../../workspace/compare/states.ts";
import { changeLines, hasRoomForTwo, MAX_SHOWN_LINES } from "../screen/change-lines.ts";
import { diffText } from "../screen/diff-text.ts";
import type { Output } from "../screen/output.ts";
import { count } from "../screen/words.ts";

export async function groupDiff(
  { bytesOf }: Pick<Salvage, "bytesOf">,
  { changes }: Group,
  { style, columns, typed }: Pick<Output, "style" | "columns" | "typed">,
): Promise<string[]> {
  const lines: string[] = [];
  for (const [i, { change, owner }] of changes.entries()) {
    if (lines.length > MAX_SHOWN_LINES)
      return [
        ...lines,
        "",
        style.dim(typed(`and ${count(changes.length - i, "more change")}: refloat diff HEAD now`)),
      ];
    const body = await bodyOf(change);
    // Nothing before the first: it stands under a title.
    lines.push(...changeLines(style, change, owner, body).slice(i === 0 ? 1 : 0));
  }
  return lines;

  async function bodyOf(change: Change): Promise<string[]> {
    const [before, after] = [await textAt(change, "before"), await textAt(change, "after")];
    if (before === null || after === null) return [];
    return diffText(before, after, { columns, style, isSplit: hasRoomForTwo(columns) });
  }

  /** Null: nothing to show as lines. */
  async function textAt(change: Change, side: FileSide): Promise<string | null> {
    const state = side === "before" ? change.from : change.to;
    if (state === null) return "";
    return state.kind === "file" ? textOf(await bytesOf(change, side)) : null;
  }
}
