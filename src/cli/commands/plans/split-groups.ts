/**
 * What a discard of named files takes apart: groups of which some files go and others stay. Everything else is settled in
 * whole groups (S4), so it is said before and after (T1). Pure.
 */
import type { SplitGroup } from "../../../app/acts/told-act.ts";
import { pathsJson } from "../../../model/path-name.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { count } from "../../screen/words.ts";

/** Groups and paths on a screen; the JSON has them all. */
const MAX_GROUPS = 5;
const MAX_PATHS = 8;

export const splitJson = ({ id, goes, stays }: SplitGroup): Record<string, unknown> => {
  const { paths, paths_b64 } = pathsJson(stays);
  return {
    group: id,
    ...pathsJson(goes),
    stays: paths,
    ...(paths_b64 === undefined ? {} : { stays_b64: paths_b64 }),
  };
};

/** `whole`: the command that drops a group whole; null: it was taken apart, and its id is no more. */
export function splitLines(
  splits: readonly SplitGroup[],
  whole: ((group: string) => string) | null,
): string[] {
  const lines = splits.slice(0, MAX_GROUPS).flatMap(({ id, goes, stays }) => {
    const some = `${goes.length} of the ${goes.length + stays.length} paths of group ${id}`;
    const more = stays.length - MAX_PATHS;
    return [
      whole ? `Takes ${some}; these stay:` : `That took ${some}; these stayed:`,
      ...stays.slice(0, MAX_PATHS).map((path) => `  ${shownPath(path)}`),
      ...(more > 0 ? [`  and ${count(more, "more", "more")}`] : []),
      ...(whole ? [`The group goes whole with: ${whole(id)}`] : []),
    ];
  });
  const rest = splits.length - MAX_GROUPS;
  return rest > 0 ? [...lines, `and so of ${count(rest, "more group")} (--json has them)`] : lines;
}
