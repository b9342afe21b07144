/**
 * Whether what sessions left is still there (L6, DESIGN 15): a change is settled when git calls its path clean
 * (committed, discarded, parked), the path is back as the session found it (gone; in a plain folder the one way, for nothing
 * is committed there), or it was left on purpose. One look at the tree serves all
 * sessions of a workspace, and only paths they left are looked at. A tree that cannot be looked at settles nothing.
 */
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { pathFromJson } from "../../model/path-name.ts";
import { stateKey } from "../../model/path-state.ts";
import { bodyAs } from "../../model/record.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { isAway } from "../captures/held-work.ts";
import { nowSide } from "../compare/sides.ts";
import { hashingSink } from "../files/contents-sink.ts";
import type { Workspace } from "../opening/workspace.ts";
import { concerned, type LeftChange, leftChanges } from "../owning/left-changes.ts";
import { keyIn } from "../owning/own.ts";
import { loadTracks, withNow } from "../owning/session-tracks.ts";
import { lastLeftOf, SEEN_ONCE, sessionsOf } from "../sessions/workspace-sessions.ts";
import { readTree } from "../tree/read-tree.ts";
import { type LookedTrees, openTrustedOrNull } from "../trust/open-trusted.ts";
import { changedAmong, leftOnPurpose, withoutIgnored } from "./changed-left.ts";
import { type FindActed, isHeldUnsettled, NOBODY_ACTED } from "./held-unsettled.ts";

/** Of sessions whose owner is gone: those with changes of their own that nobody settled. */
export async function unsettledAmong(
  store: Store,
  rows: readonly SessionRow[],
  env: Environment,
  findActed: FindActed = NOBODY_ACTED,
  trees?: LookedTrees,
): Promise<ReadonlySet<SessionId>> {
  const found = new Set<SessionId>();
  const opened = new Map<string, Workspace | null>();
  for (const row of rows.filter(mayHaveLeft)) {
    const place = String(row.facts.workspace);
    // Where it may not be entered, what was left in it cannot be called settled.
    if (!opened.has(place)) opened.set(place, openTrustedOrNull(store, place, env, trees));
    const workspace = opened.get(place) ?? null;
    if (await isStillThereOrUnknown({ store, workspace, row, env, findActed })) found.add(row.id);
  }
  return found;
}

/** Without a capture nothing is known of what it changed, but where one is owed; with an end that left nothing, nothing is there. */
function mayHaveLeft(row: SessionRow): boolean {
  const left = lastLeftOf(row);
  const { capture, owes_end_capture } = row.facts;
  if (isOfThisEnd(row) && left !== null) return left.changes > 0;
  return capture !== undefined || owes_end_capture === true;
}

/** A later attempt that died before its end capture leaves an older answer behind, which is no answer. */
const isOfThisEnd = (row: SessionRow): boolean => lastLeftOf(row)?.attempt === row.claim.attempt;

interface UnsettledLook {
  readonly store: Store;
  readonly workspace: Workspace | null;
  readonly row: SessionRow;
  readonly env: Environment;
  readonly findActed: FindActed;
}

/** A git that fails or is not there is no proof that anything was settled. */
async function isStillThereOrUnknown(looked: UnsettledLook): Promise<boolean> {
  const { store, workspace, row, env } = looked;
  try {
    if (workspace?.kind === "folder") return await isStillThere(store, workspace, row, env);
    // Held work belongs to the session, not to whatever lies at its path by now (W8).
    if (workspace === null || isAway(row, workspace)) return await isHeldUnsettled({ ...looked, workspace });
    return await isStillThere(store, workspace, row, env);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return true;
    throw thrown;
  }
}

async function isStillThere(
  store: Store,
  workspace: Workspace,
  row: SessionRow,
  env: Environment,
): Promise<boolean> {
  const left = isOfThisEnd(row)
    ? await changedAmong(store, workspace, env, await lastLeft(store, row))
    : await leftNow(store, workspace, row, env);
  const changed = await withoutIgnored(store, workspace, row, env, left);
  if (changed.length === 0) return false;
  const paths = changed.map(({ path }) => path);
  const now = await readTree(workspace, hashingSink(), { env, clock: store.clock, paths });
  const states = new Map(now.entries.map(({ path, state }) => [path, state]));
  const onPurpose = await leftOnPurpose(store, row);
  return changed.some(({ path, from }) => {
    const state = states.get(path);
    if (state === undefined) return true;
    return keyIn(workspace.kind, state) !== from && !onPurpose.has(`${stateKey(state)} ${path}`);
  });
}

async function lastLeft(store: Store, { id }: SessionRow): Promise<LeftChange[]> {
  const kinds = ["session.left"] as const;
  const [record] = await store.records({ session: id, kinds, order: "backward", limit: 1 });
  const body = record ? bodyAs(record, "session.left") : null;
  return (body?.changes ?? []).map(({ from, to, ...named }) => ({ path: pathFromJson(named), from, to }));
}

/** Nobody saw its end: judged by its last capture and by the tree as it is now. */
async function leftNow(
  store: Store,
  workspace: Workspace,
  row: SessionRow,
  env: Environment,
): Promise<LeftChange[]> {
  const places = [workspace.root, String(row.facts.workspace)];
  const rows = concerned(await sessionsOf(store, places, SEEN_ONCE), row.id);
  const { reading, unlisted } = await nowSide(workspace, [], { env, clock: store.clock });
  if (reading === null) return [];
  const loaded = await loadTracks(store, workspace.root, rows);
  const now = { reading, ...(unlisted ? { unlisted } : {}) };
  const tracks = withNow(loaded, rows, now, store.clock.nowMs());
  const track = tracks.find(({ session }) => session === row.id);
  return track
    ? leftChanges(
        reading.entries.map(({ path }) => path),
        track,
        tracks,
        workspace.kind,
      )
    : [];
}
