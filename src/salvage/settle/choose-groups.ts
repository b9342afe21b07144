/** The groups somebody means: by id, by verdict, by path, or all (DESIGN 10). Pure. A group is taken whole (S4). */

import { RefloatError } from "../../model/errors.ts";
import { isWithin, type PathName } from "../../model/path-name.ts";
import { byBeginning } from "../../text/by-beginning.ts";
import { shownPath } from "../../text/shown-path.ts";
import type { Group } from "../../triage/verdict/group.ts";
import { pathsOf } from "../../workspace/compare/states.ts";
import { isOthers, whyNotOwn } from "../judging/own-groups.ts";
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
