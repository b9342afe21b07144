/**
 * Whether a session's held work is settled where it is not in the tree it was made in (W8): path by path, by the acts done in its
 * name, by what was left on purpose, and by what is in the tree one stands in. What is in none of these is held and nothing
 * else: it stays unsettled, however clean that tree is.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import { type PathState, stateKey } from "../../model/path-state.ts";
import type { Environment } from "../../platform/places.ts";
import { readWholeContent } from "../../store/content-store.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { type HeldWork, heldWork, withCommitted } from "../captures/held-work.ts";
import { hashingSink } from "../files/contents-sink.ts";
import { hadBytes } from "../git/landed.ts";
import { openRepository, type Repository } from "../git/repository.ts";
import type { Workspace } from "../opening/workspace.ts";
import { concerned, GAP, type LeftChange, leftChanges } from "../owning/left-changes.ts";
import { loadTracks, withNow } from "../owning/session-tracks.ts";
import { SEEN_ONCE, sessionsOf } from "../sessions/workspace-sessions.ts";
import { readTree } from "../tree/read-tree.ts";
import { changedAmong, leftOnPurpose, withoutIgnored } from "./changed-left.ts";

/** What the newest standing act in the session's name did to a path. */
export type PathAct =
  | { readonly kind: "brought" }
  /** Of the state with this key: an older one of the same path may have been settled, and not this. */
  | {
      readonly kind: "settled";
      isOf(key: string, bytes: () => Promise<Uint8Array | null>): Promise<boolean>;
    };
export type ActedOn = ReadonlyMap<PathName, PathAct>;

/** Told by a room that knows plans. `roots`: where the session worked, and where somebody stands. */
export type FindActed = (
  store: Store,
  workspace: Workspace | null,
  session: SessionId,
  roots: readonly string[],
) => Promise<ActedOn>;

export const NOBODY_ACTED: FindActed = async () => new Map();

export interface AwayOptions {
  readonly store: Store;
  /** Where somebody stands; null: nothing of it is there. */
  readonly workspace: Workspace | null;
  readonly row: SessionRow;
  readonly env: Environment;
  readonly findActed: FindActed;
}

export interface Whereabouts {
  readonly held: HeldWork;
  /** Neither settled nor in this tree. */
  readonly away: readonly LeftChange[];
  /** In this tree: put there, or there as it was held. */
  readonly here: readonly LeftChange[];
  /** Some of it was put here, by an act or by hand: what of it is not here did not come along, or was taken out again. */
  readonly isBrought: boolean;
}

export async function isHeldUnsettled(options: AwayOptions): Promise<boolean> {
  const found = await whereabouts(options);
  if (!found) return false;
  if (found.away.length > 0) return true;
  const { store, workspace, row, env } = options;
  if (workspace?.kind !== "git" || found.here.length === 0) return false;
  const changed = await changedAmong(store, workspace, env, found.here);
  const now = await statesNow(options, changed);
  const onPurpose = await leftOnPurpose(store, row);
  return changed.some(({ path, from }) => {
    const key = stateKey(now.get(path) ?? null);
    return key !== from && !onPurpose.has(`${key} ${path}`);
  });
}

/** Null: nothing of it is held any more. */
export async function whereabouts(options: AwayOptions): Promise<Whereabouts | null> {
  const { store, workspace, row, env, findActed } = options;
  const git = workspace?.kind === "git" ? workspace : null;
  const repository = git ? await git.repository() : await repositoryLeft(store, row, env);
  const held = await heldWork(store, row.id, repository);
  if (!held) return null;
  const all = await leftOf(store, row, held);
  const left = git ? await withoutIgnored(store, git, row, env, all) : all;
  const onPurpose = await leftOnPurpose(store, row);
  const roots = [...(workspace ? [workspace.root] : []), held.path, String(row.facts.workspace ?? held.path)];
  const acted: ActedOn = left.length === 0 ? new Map() : await findActed(store, workspace, row.id, roots);
  const states = new Map(held.reading.entries.map(({ path, state }) => [path, state]));
  const now = await statesNow(options, left);
  const away: LeftChange[] = [];
  const here: LeftChange[] = [];
  for (const one of left) {
    const { path, to } = one;
    const state = states.get(path) ?? null;
    const act = acted.get(path);
    if (onPurpose.has(`${to} ${path}`)) continue;
    if (act?.kind === "settled" && (await act.isOf(to, () => bytesOf(store, state)))) continue;
    const isThere = workspace !== null && to !== GAP && isSameWork(state, now.get(path) ?? null);
    (isThere || act?.kind === "brought" ? here : away).push(one);
  }
  // Put here by an act, or by hand: what differs from HEAD here as it was held.
  const isBrought =
    here.some(({ path }) => acted.get(path)?.kind === "brought") ||
    (git !== null && here.length > 0 && (await changedAmong(store, git, env, here)).length > 0);
  return {
    held,
    away: await notLanded(store, repository, held.base, away, states),
    here,
    isBrought,
  };
}

/** Of a work tree that was removed, the repository may still be there, with what was committed in it. */
async function repositoryLeft(
  store: Store,
  { id }: SessionRow,
  env: Environment,
): Promise<Repository | null> {
  const commonDir = (await heldWork(store, id, null))?.commonDir ?? null;
  if (commonDir === null || !existsSync(join(commonDir, "objects"))) return null;
  return openRepository({ root: commonDir, gitDir: commonDir, commonDir, kind: "main" }, { env });
}

/** Each is a walk through the history; with more of them a history is not what is missing. */
const MAX_WALKED = 50;

/** Committed elsewhere and pushed, it came with the clone, however it went on from there. */
async function notLanded(
  store: Store,
  repository: Repository | null,
  base: string | null,
  away: readonly LeftChange[],
  states: ReadonlyMap<PathName, PathState>,
): Promise<readonly LeftChange[]> {
  if (!repository || base === null || away.length > MAX_WALKED) return away;
  const left: LeftChange[] = [];
  for (const one of away) {
    const state = states.get(one.path) ?? null;
    const bytes = state?.kind === "file" ? await bytesOf(store, state) : null;
    if (bytes === null || !(await hadBytes(repository, base, one.path, bytes))) left.push(one);
  }
  return left;
}

/** What the session left as its own, told by what is held alone. */
async function leftOf(store: Store, row: SessionRow, held: HeldWork): Promise<LeftChange[]> {
  const places = [held.path, String(row.facts.workspace ?? held.path)];
  const rows = concerned(await sessionsOf(store, places, SEEN_ONCE), row.id);
  const known = rows.some(({ id }) => id === row.id) ? rows : [...rows, row];
  const loaded = withCommitted(await loadTracks(store, held.path, known), held);
  const tracks = withNow(loaded, known, held, store.clock.nowMs());
  const track = tracks.find(({ session }) => session === row.id);
  const paths = held.reading.entries.map(({ path }) => path);
  const kind = held.head === null ? "folder" : "git";
  return track ? leftChanges(paths, track, tracks, kind) : [];
}

async function statesNow(
  { store, workspace, env }: AwayOptions,
  left: readonly LeftChange[],
): Promise<ReadonlyMap<PathName, PathState>> {
  const paths = left.filter(({ to }) => to !== GAP).map(({ path }) => path);
  if (!workspace || paths.length === 0) return new Map();
  const { entries } = await readTree(workspace, hashingSink(), { env, clock: store.clock, paths });
  return new Map(entries.map(({ path, state }) => [path, state]));
}

const EXECUTABLE = 0o100;

/** As git would compare them: of permission bits only whether it can be run. Another umask is no other work. */
export function isSameWork(held: PathState, now: PathState): boolean {
  if (held?.kind !== "file" || now?.kind !== "file") return stateKey(held) === stateKey(now);
  return held.hash === now.hash && (held.mode & EXECUTABLE) === (now.mode & EXECUTABLE);
}

async function bytesOf(store: Store, state: PathState): Promise<Uint8Array | null> {
  if (!state?.hash || !(await store.driver.readContent(state.hash))) return null;
  return readWholeContent(store.driver, state.hash);
}
