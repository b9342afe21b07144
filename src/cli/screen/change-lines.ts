/** One change with its lines, for a screen: the same in `diff` and in the review. */
import type { PathState } from "../../model/path-state.ts";
import { shownPath } from "../../text/shown-path.ts";
import type { Change } from "../../workspace/compare/states.ts";
import type { ChangeOwner } from "../../workspace/owning/own.ts";
import type { Style } from "./style.ts";
import { bytesText, count, oneLine } from "./words.ts";

/** Lines of one diff on a screen; the paths are always all listed. */
export const MAX_SHOWN_LINES = 4000;
/** Narrower than this, two columns leave no room for code. */
const SPLIT_COLUMNS = 140;

export const hasRoomForTwo = (columns: number): boolean => columns >= SPLIT_COLUMNS;

export function changeLines(
  style: Style,
  change: Change,
  owner: ChangeOwner | null,
  body: readonly string[],
): string[] {
  const { dim } = style;
  const { kind, from, to, members } = change;
  const states =
    body.length === 0 || kind === "type" || kind === "mode"
      ? [dim(`  ${stateText(from)} -> ${stateText(to)}`)]
      : [];
  const inside = members.map((member) => dim(`  ${member.kind.padEnd(8)}  ${shownPath(member.path)}`));
  return ["", headLine(style, change, owner), ...states, ...inside, ...body];
}

/** One line for it: what `--stat` shows. A kind or a mode that changed is said, too: the name alone would not tell. */
export function statLine(style: Style, change: Change, owner: ChangeOwner | null): string {
  const { kind, from, to, members } = change;
  const isOther = kind === "type" || kind === "mode";
  const states = isOther ? style.dim(`  ${stateText(from)} -> ${stateText(to)}`) : "";
  const inside = members.length > 0 ? style.dim(`, ${count(members.length, "path")} in it`) : "";
  return `${headLine(style, change, owner)}${states}${inside}`;
}

function headLine({ bold, dim }: Style, { path, kind, fromPath }: Change, owner: ChangeOwner | null): string {
  const was = fromPath === undefined ? "" : `${shownPath(fromPath)} -> `;
  const whose = owner === null ? "" : dim(`  [${ownerText(owner)}]`);
  return `${kind.padEnd(8)}  ${was}${bold(shownPath(path))}${whose}`;
}

const ownerText = ({ owner, ownerSession }: ChangeOwner): string =>
  ownerSession === null ? owner : `${owner}: ${oneLine(ownerSession)}`;

function stateText(state: PathState): string {
  if (state === null) return "nothing";
  const mode = state.mode.toString(8).padStart(4, "0");
  switch (state.kind) {
    case "file":
      return `file ${mode}, ${bytesText(state.size)}`;
    case "symlink":
      return `symlink to ${oneLine(state.target ?? "?")}`;
    case "directory":
      return "directory";
    case "submodule":
      return `submodule at ${state.target?.slice(0, 12) ?? "no commit"}`;
    default:
      return state.kind satisfies never;
  }
}
