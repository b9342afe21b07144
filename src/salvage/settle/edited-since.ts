/**
 * What the session left and somebody changed after its end (W5): a conflict to show, never to overwrite and never to pass over.
 * Such a change is nobody's to settle, and with it the whole group stays (S4). Pure.
 */
import type { Conflict } from "../../acts/plans/outcome.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { Group } from "../../triage/verdict/group.ts";
import { readingOf } from "../../workspace/tree/reading.ts";
import type { Salvage } from "../judging/salvage.ts";

export interface EditedGroup {
  readonly group: Group;
  readonly conflicts: readonly Conflict[];
}

export const EDITED_SINCE = "it was changed after the session's end";

export function editedSince({ groups, owned, wholeCaptures }: Salvage): EditedGroup[] {
  const end = owned.track?.captures.findLast(({ reason }) => reason === "end");
  if (!end) return [];
  const held = wholeCaptures.find(({ id }) => id === end.id);
  const states = new Map<PathName, PathState>(
    held ? readingOf(held.capture).entries.map(({ path, state }) => [path, state]) : [],
  );
  return groups.flatMap((group) => {
    const conflicts = group.changes
      .filter(({ isEditedSince }) => isEditedSince)
      .map(({ change: { path, to } }) => ({
        path,
        group: group.id,
        expected: states.get(path) ?? null,
        found: to,
        why: EDITED_SINCE,
      }));
    return conflicts.length > 0 ? [{ group, conflicts }] : [];
  });
}
