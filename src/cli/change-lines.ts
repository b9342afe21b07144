/** One change with its lines, for a screen: the same in `diff` and in the review. */
import type { PathState } from "../model/path-state.ts";
import { shownPath } from "../text/shown-path.ts";
import type { Change } from "../workspace/compare.ts";
import type { Owner } from "../workspace/own.ts";
import type { Style } from "./style.ts";
import { bytesText, oneLine } from "./words.ts";

/** Lines of one diff on a screen; the paths are always all listed. */
export const MAX_SHOWN_LINES = 4000;
/** Narrower than this, two columns leave no room for code. */
const SPLIT_COLUMNS = 140;

export const hasRoomForTwo = (columns: number): boolean => columns >= SPLIT_COLUMNS;

export function changeLines(
  { bold, dim }: Style,
  change: Change,
  owner: Owner | null,
  body: readonly string[],
): string[] {
  const { path, kind, from, to, fromPath, members } = change;
  const was = fromPath === undefined ? "" : `${shownPath(fromPath)} -> `;
  const whose = owner === null ? "" : dim(`  [${ownerText(owner)}]`);
  const head = `${kind.padEnd(8)}  ${was}${bold(shownPath(path))}${whose}`;
  const states =
    body.length === 0 || kind === "type" || kind === "mode"
      ? [dim(`  ${stateText(from)} -> ${stateText(to)}`)]
      : [];
  const inside = members.map((member) => dim(`  ${member.kind.padEnd(8)}  ${shownPath(member.path)}`));
  return ["", head, ...states, ...inside, ...body];
}

const ownerText = ({ owner, ownerSession }: Owner): string =>
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
