/**
 * The groups somebody means: by id, by verdict, by path, or all (DESIGN 10); and those nobody may take, because they were edited since.
 * Pure. A group is taken whole (S4).
 */

import type { Conflict } from "../../acts/plans/outcome.ts";
import { RefloatError } from "../../model/errors.ts";
import { isWithin, type PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import { byBeginning } from "../../text/by-beginning.ts";
import { shownPath } from "../../text/shown-path.ts";
import type { Group } from "../../triage/verdict/group.ts";
import { pathsOf } from "../../workspace/compare/states.ts";
import { readingOf } from "../../workspace/tree/reading.ts";
import { isOthers, whyNotOwn } from "../judging/judged-groups.ts";
import type { Salvage } from "../judging/salvage.ts";
import { type GroupAct, keepingRecords, type SettleAct } from "./policy.ts";

export interface Selection {
  /** Ids, or the beginnings of them. */
  readonly ids: readonly string[];
  readonly paths: readonly PathName[];
  readonly isSafe: boolean;
  readonly isAll: boolean;
  /** Every change nobody owns is taken for the session's: on the user's word. */
  readonly isAdopted: boolean;
}

export interface ChosenGroup {
  readonly group: Group;
  /** Named by id or path: whoever names it answers for it (W5). */
  readonly isNamed: boolean;
}

/** Nothing selected: every group of the session's own. */
export function chooseGroups(groups: readonly Group[], selection: Selection): ChosenGroup[] {
  const named = new Set([
    ...selection.ids.map((id) => byId(groups, id)),
    ...byPaths(groups, selection.paths),
  ]);
  const isByName = selection.ids.length > 0 || selection.paths.length > 0;
  const wide = groups.filter(
    (group) => mayTake(group, selection) && (!selection.isSafe || group.verdict === "safe"),
  );
  const isWide = selection.isAll || selection.isSafe || !isByName;
  for (const group of named) {
    if (isOthers(group))
      throw new RefloatError("E_NOT_OWNED", {
        group: group.id,
        owner: group.changes.flatMap(({ owner }) => owner.ownerSession ?? [])[0] ?? "ID",
        why: whyNotOwn(group) ?? "it is another session's",
      });
  }
  const chosen = new Map<Group, ChosenGroup>();
  for (const group of isWide ? wide : []) chosen.set(group, { group, isNamed: false });
  for (const group of named) chosen.set(group, { group, isNamed: true });
  return groups.flatMap((group) => chosen.get(group) ?? []);
}

/** One act on all that was chosen; a workflow's own record only where it was named. */
export const actsOn = (chosen: readonly ChosenGroup[], act: SettleAct): GroupAct[] =>
  chosen.map(({ group, isNamed }) => {
    const one: GroupAct = { group, act, why: null };
    return isNamed ? one : keepingRecords(one);
  });

/** What no one named: the session's own, and with `--adopt` what is nobody's. */
export function mayTake(group: Group, { isAdopted }: Pick<Selection, "isAdopted">): boolean {
  if (whyNotOwn(group) === null) return true;
  return (
    isAdopted && group.changes.every(({ owner }) => owner.owner === "session" || owner.owner === "unknown")
  );
}

function byId(groups: readonly Group[], typed: string): Group {
  const begun = byBeginning(groups, typed, ({ id }) => id);
  const [one, ...more] = begun;
  if (!one) throw new RefloatError("E_NO_GROUP", { what: `${typed}${editedText(groups)}` });
  if (more.length > 0)
    throw new RefloatError("E_AMBIGUOUS_GROUP", {
      what: typed,
      matches: begun.map(({ id }) => id).join(", "),
    });
  return one;
}

/** Paths named of those that may have been in a group that is gone. */
const MAX_EDITED = 5;

/** An id stands for exact bytes: whoever takes it from an older manifest is told what changed since (W5). */
function editedText(groups: readonly Group[]): string {
  const edited = groups
    .flatMap(({ changes }) => changes.filter(({ isEditedSince }) => isEditedSince === true))
    .map(({ change }) => shownPath(change.path));
  if (edited.length === 0) return "";
  const more = edited.length > MAX_EDITED ? ` and ${edited.length - MAX_EDITED} more` : "";
  const names = `${edited.slice(0, MAX_EDITED).join(", ")}${more}`;
  return `: an id changes with its files, and after the session's end somebody changed ${names}`;
}

/** A path means the group it is in; a folder every group with something in it. */
function byPaths(groups: readonly Group[], paths: readonly PathName[]): Group[] {
  return paths.flatMap((path) => {
    const found = groups.filter(({ changes }) =>
      changes.some(({ change }) => pathsOf(change).some((one) => isWithin(one, path))),
    );
    if (found.length === 0) throw new RefloatError("E_NO_GROUP", { what: `with ${shownPath(path)}` });
    return found;
  });
}

/**
 * What the session left and somebody changed after its end (W5): a conflict to show, never to overwrite and never to pass over.
 * Such a change is nobody's to settle, and with it the whole group stays (S4). Pure.
 */
interface EditedGroup {
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
