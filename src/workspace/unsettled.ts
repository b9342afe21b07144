/**
 * Whether what sessions left is still there (L6, DESIGN 15): a change is settled when git calls its path clean
 * (committed, discarded, parked), the path is back as the session found it (gone; in a plain folder the one way, for nothing
 * is committed there), or it was left on purpose. One look at the tree serves all
 * sessions of a workspace, and only paths they left are looked at. A tree that cannot be looked at settles nothing.
 */
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { CONFIG_FILE } from "../model/config.ts";
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { AUTO_CAPTURE_STATUS_MS } from "../model/limits.ts";
import { isWithin, type PathName, pathFromJson } from "../model/path-name.ts";
import { stateKey } from "../model/path-state.ts";
import { bodyAs } from "../model/record.ts";
import type { Environment } from "../platform/places.ts";
import type { SessionRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import { globMatcher } from "../text/glob.ts";
import { userConfig } from "./config.ts";
import { hashingSink } from "./contents-sink.ts";
import { readStatus } from "./git/status.ts";
import { judgingConfig } from "./judging-config.ts";
import { GAP, type LeftChange, leftChanges } from "./left-changes.ts";
import { nowSide } from "./now-side.ts";
import { keyIn } from "./own.ts";
import { isFolderAt, lookAt } from "./path-at.ts";
import { readTree } from "./read-tree.ts";
import { concerned } from "./record-left.ts";
import { loadTracks, withNow } from "./session-tracks.ts";
import { isTrusted } from "./trust.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";
import { lastLeftOf, sessionsOf } from "./workspace-sessions.ts";

/** More paths than this are found among all changed ones: a command line holds only so many. */
const MAX_NAMED_PATHS = 200;

type GitWorkspace = Extract<Workspace, { kind: "git" }>;

/** Of sessions whose owner is gone: those with changes of their own that nobody settled. */
export async function unsettledAmong(
  store: Store,
  rows: readonly SessionRow[],
  env: Environment,
): Promise<ReadonlySet<SessionId>> {
  const found = new Set<SessionId>();
  const opened = new Map<string, Workspace | null>();
  for (const row of rows.filter(mayHaveLeft)) {
    const place = String(row.facts.workspace);
    if (!opened.has(place)) opened.set(place, openOrNull(store, place, env));
    const workspace = opened.get(place) ?? null;
    if (workspace === null || (await isStillThereOrUnknown(store, workspace, row, env))) found.add(row.id);
  }
  return found;
}

/** Without a capture nothing is known of what it changed; with an end that left nothing, nothing is there. */
function mayHaveLeft(row: SessionRow): boolean {
  const left = lastLeftOf(row);
  return isOfThisEnd(row) && left !== null ? left.changes > 0 : row.facts.capture !== undefined;
}

/** A later attempt that died before its end capture leaves an older answer behind, which is no answer. */
const isOfThisEnd = (row: SessionRow): boolean => lastLeftOf(row)?.attempt === row.claim.attempt;

/** Null: it is not there, or not to be entered: then what was left in it cannot be called settled. */
function openOrNull(store: Store, place: string, env: Environment): Workspace | null {
  if (!isAbsolute(place) || !statSync(place, { throwIfNoEntry: false })?.isDirectory()) return null;
  try {
    return openWorkspace(place, { env, isTrusted: (at, digest) => isTrusted(store, at, digest) });
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}

/** A git that fails or is not there is no proof that anything was settled. */
async function isStillThereOrUnknown(...looked: Parameters<typeof isStillThere>): Promise<boolean> {
  try {
    return await isStillThere(...looked);
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

/** Changes the user's config leaves out of judging can never be settled, and need not be. */
async function withoutIgnored(
  store: Store,
  workspace: Workspace,
  row: SessionRow,
  env: Environment,
  left: readonly LeftChange[],
): Promise<readonly LeftChange[]> {
  if (left.length === 0) return left;
  const isConfigured = lookAt(workspace.root, CONFIG_FILE as PathName) !== null;
  const config = isConfigured ? await judgingConfig(store, row, workspace, env) : userConfig(env);
  const isIgnored = globMatcher(config.ignore ?? []);
  return left.filter(({ path }) => !isIgnored(path));
}

/** What somebody named and left, each path in the state it was in then (DESIGN 15). */
async function leftOnPurpose(store: Store, { id }: SessionRow): Promise<ReadonlySet<string>> {
  const left = new Set<string>();
  for await (const record of store.journal(id, { kinds: ["group.left"] }))
    for (const one of bodyAs(record, "group.left")?.paths ?? [])
      left.add(`${one.state} ${pathFromJson(one)}`);
  return left;
}

async function changedAmong(
  store: Store,
  workspace: Workspace,
  env: Environment,
  left: readonly LeftChange[],
): Promise<readonly LeftChange[]> {
  if (workspace.kind === "folder") return left;
  const named = left.map(({ path }) => path);
  const canName = named.length <= MAX_NAMED_PATHS && named.every((path) => path.isWellFormed());
  const repository = await workspace.repository();
  const lines = await readStatus(repository, AUTO_CAPTURE_STATUS_MS, canName ? named : []);
  const changed = new Set<PathName>(lines.map(({ path }) => path));
  const unlisted = left.filter(({ path, to }) => to === GAP && !changed.has(path)).map(({ path }) => path);
  for (const path of await changedInside(store, workspace, env, unlisted)) changed.add(path);
  // What cannot be looked at is no proof that it was settled.
  const unseen = lines.filter(({ kind }) => kind === "unreadable");
  return left.filter(({ path }) => changed.has(path) || unseen.some((place) => isWithin(path, place.path)));
}

/** Submodules among the paths that have changes of their own: git does not look into them for us (status.ts). */
async function changedInside(
  store: Store,
  workspace: GitWorkspace,
  env: Environment,
  paths: readonly PathName[],
): Promise<PathName[]> {
  const folders = paths.filter((path) => isFolderAt(workspace.root, path));
  if (folders.length === 0) return [];
  const { gaps } = await readTree(workspace, hashingSink(), { env, clock: store.clock, paths: folders });
  return gaps.filter(({ reason }) => reason === "submodule").map(({ path }) => path);
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
  const rows = concerned(await sessionsOf(store, [workspace.root, String(row.facts.workspace)]), row.id);
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
