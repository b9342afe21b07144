/**
 * Parking and discarding compile to the same thing: each path of the group goes back to what was there before the session
 * changed it, and so does what the session had staged (DESIGN 7). What parking adds is that the plan remembers the group
 * under a name; the bytes are in the plan's safety capture either way.
 */
import { SO_BEFORE } from "../../acts/compilers/discard.ts";
import { gatherDiscard } from "../../acts/compilers/gather-discard.ts";
import { putsOf } from "../../acts/compilers/put-back.ts";
import type { IndexEdit, PathPut } from "../../acts/plans/draft.ts";
import { isSameStaged } from "../../acts/plans/draft.ts";
import type { Conflict } from "../../acts/plans/outcome.ts";
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import { isSameState, type PathState } from "../../model/path-state.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { type Change, pathsOf } from "../../workspace/compare/states.ts";
import { indexEntries } from "../../workspace/git/index-file.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import type { Salvage } from "../judging/salvage.ts";
import type { GroupAct } from "./policy.ts";

export interface PutBack {
  readonly puts: readonly PathPut[];
  readonly index: readonly IndexEdit[];
  readonly conflicts: readonly Conflict[];
  /** Paths that go back to what HEAD has, not to bytes somebody held. */
  readonly reconstructed: number;
}

export interface PutBackOptions {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly env: Environment;
  readonly rows: readonly SessionRow[];
  readonly found: Salvage;
}

const NOTHING: PutBack = { puts: [], index: [], conflicts: [], reconstructed: 0 };

export async function putBackGroups(
  { store, workspace, env, rows, found }: PutBackOptions,
  acts: readonly GroupAct[],
): Promise<PutBack> {
  if (acts.length === 0) return NOTHING;
  const groupAt = new Map<PathName, string>();
  for (const { group } of acts)
    for (const { change } of group.changes) for (const path of pathsOf(change)) groupAt.set(path, group.id);
  const options = { store, workspace, env, rows };
  const { facts } = await gatherDiscard(options, found.session.id as SessionId, [...groupAt.keys()]);
  const chosen = facts.changes.filter(({ path }) => groupAt.has(path));
  const puts = chosen.flatMap((change) => {
    const group = groupAt.get(change.path) as string;
    return putsOf(change, facts.isReconstructed).map((put) => ({ ...put, group }));
  });
  const unknown = facts.unknown.flatMap(({ path, why }): Conflict[] => {
    const group = groupAt.get(path);
    return group === undefined ? [] : [{ path, group, expected: null, found: null, why }];
  });
  const reconstructed = puts.filter(({ path }) => facts.isReconstructed(path)).length;
  const index = await indexEdits();
  const conflicts = [...unknown, ...foundSo(), ...goneSince(), ...changedSince(puts, acts)];
  return { puts, index, conflicts, reconstructed };

  /** T1: a group of which nothing would go anywhere is not parked or discarded: the session found all of it so. */
  function foundSo(): Conflict[] {
    const going = new Set([...puts, ...index, ...unknown].map(({ group }) => group));
    return facts.found.flatMap(({ path }): Conflict[] => {
      const group = groupAt.get(path);
      if (group === undefined || going.has(group)) return [];
      return [{ path, group, expected: null, found: null, why: SO_BEFORE }];
    });
  }

  /** T1: nor is one of which nothing is left by now, because somebody else took it away meanwhile. */
  function goneSince(): Conflict[] {
    const there = new Set([...puts, ...index, ...unknown].map(({ group }) => group));
    for (const { path } of facts.found) there.add(groupAt.get(path) ?? "");
    return acts.flatMap(({ group: { id, changes } }): Conflict[] => {
      const [first] = changes;
      if (!first || there.has(id)) return [];
      const why = "it changed meanwhile";
      return [{ path: first.change.path, group: id, expected: first.change.to, found: null, why }];
    });
  }

  async function indexEdits(): Promise<IndexEdit[]> {
    if (workspace.kind === "folder") return [];
    const paths = [...groupAt.keys()];
    const now = await indexEntries(await workspace.repository(), paths);
    return paths.flatMap((path) => {
      const put = facts.staged(path)?.before;
      const expect = now.get(path) ?? [];
      // Unmerged entries are a merge's own business; it is refused elsewhere, and never edited away here.
      if (put === undefined || isSameStaged(expect, put) || expect.some(({ stage }) => stage !== 0))
        return [];
      return [{ path, group: groupAt.get(path) as string, expect, put }];
    });
  }
}

/**
 * W5: judged, shown and agreed to was what the groups were then. What became of a path since, while a check ran or somebody was
 * asked, is his who wrote it: the tree is read anew for the plan, and that reading must not pass for the judged one.
 */
function changedSince(puts: readonly PathPut[], acts: readonly GroupAct[]): Conflict[] {
  const judged = new Map(
    acts.flatMap(({ group }) => group.changes.flatMap(({ change }) => statesOf(change))),
  );
  return puts.flatMap(({ path, group, expect }): Conflict[] => {
    const then = judged.get(path);
    const isKnown = then !== undefined && !(then?.kind === "file" && then.hash === null);
    if (!isKnown || isSameState(then, expect)) return [];
    return [{ path, group, expected: then, found: expect, why: null }];
  });
}

const statesOf = ({ path, to, fromPath, members }: Change): [PathName, PathState][] => [
  [path, to],
  ...(fromPath === undefined ? [] : [[fromPath, null] as [PathName, PathState]]),
  ...members.map((member): [PathName, PathState] => [member.path, member.to]),
];
