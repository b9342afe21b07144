/**
 * Two states of a workspace, compared path by path on full states, never on status lines. Pure.
 *
 * A state that was put together from HEAD's blob (`reconstructed`) knows of permission bits only whether the file
 * can be executed, as git does; between two captures all bits count. A symlink that became a directory, and the
 * other way round, is one change of kind `type` at the link's path, with what lies below as its members.
 */
import type { PathName } from "../../model/path-name.ts";
import { type ChangeKind, isSameState, type PathState, type PresentState } from "../../model/path-state.ts";

export type SideState =
  | { readonly kind: "known"; readonly state: PathState; readonly isReconstructed: boolean }
  /** Not held there, or not looked at: nothing is said about it. */
  | { readonly kind: "unknown"; readonly why: string };

export interface Change {
  readonly path: PathName;
  readonly kind: ChangeKind;
  readonly from: PathState;
  readonly to: PathState;
  /** Where a renamed file was. */
  readonly fromPath?: PathName;
  /** What lies below a path that is, or was, a directory on one side only. */
  readonly members: readonly Change[];
}

/** Every path a change is about, with a state on either side. */
export function pathsOf(change: Change): PathName[] {
  const from = change.fromPath === undefined ? [] : [change.fromPath];
  return [change.path, ...from, ...change.members.map(({ path }) => path)];
}

export interface Comparison {
  readonly changes: readonly Change[];
  readonly unknown: readonly { readonly path: PathName; readonly why: string }[];
}

export type StateAt = (path: PathName) => SideState;

const DIRECTORY: PresentState = { kind: "directory", mode: 0o755, size: 0, hash: null };
const EXECUTABLE = 0o100;

export function compareStates(paths: Iterable<PathName>, from: StateAt, to: StateAt): Comparison {
  const changes: Change[] = [];
  const unknown: { path: PathName; why: string }[] = [];
  for (const path of [...new Set(paths)].sort()) {
    const [before, after] = [from(path), to(path)];
    if (before.kind === "unknown") unknown.push({ path, why: before.why });
    else if (after.kind === "unknown") unknown.push({ path, why: after.why });
    else {
      const isRough = before.isReconstructed || after.isReconstructed;
      const kind = changeKindOf(before.state, after.state, { isRough });
      if (kind) changes.push({ path, kind, from: before.state, to: after.state, members: [] });
    }
  }
  return { changes: foldDirectories(changes), unknown };
}

/** Null: the same. */
export function changeKindOf(
  from: PathState,
  to: PathState,
  { isRough }: { readonly isRough: boolean },
): ChangeKind | null {
  if (from === null || to === null) {
    if (from === to) return null;
    return from === null ? "added" : "deleted";
  }
  if (from.kind !== to.kind) return "type";
  if (from.hash !== to.hash || from.target !== to.target) return "modified";
  if (from.kind !== "file") return null;
  const isSame = isRough ? (from.mode & EXECUTABLE) === (to.mode & EXECUTABLE) : isSameState(from, to);
  return isSame ? null : "mode";
}

/** Changes below a path that is a directory on one side only become members of that path's change. */
function foldDirectories(changes: readonly Change[]): Change[] {
  const folded: Change[] = [];
  // Sorted by path, but "a-b" sorts between "a" and "a/b": members are looked for by name, not by place.
  const taken = new Set<Change>();
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const membersOf = new Map<Change, Change[]>();
  for (const change of changes) {
    const parent = replacedParent(change.path, byPath);
    if (!parent) continue;
    membersOf.set(parent, [...(membersOf.get(parent) ?? []), change]);
    taken.add(change);
  }
  for (const change of changes) {
    if (taken.has(change)) continue;
    const members = membersOf.get(change);
    folded.push(members ? withMembers(change, members) : change);
  }
  return folded;
}

/** The nearest path above whose own change is between a directory and something else. */
function replacedParent(path: PathName, byPath: ReadonlyMap<PathName, Change>): Change | null {
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
    const change = byPath.get(path.slice(0, at) as PathName);
    if (change && [change.from, change.to].some((state) => state !== null)) return change;
  }
  return null;
}

function withMembers(change: Change, members: readonly Change[]): Change {
  // Git knows no directories: on the side where only members are, the directory itself is added here.
  const isDirectoryBefore = change.from === null && members.some(({ from }) => from !== null);
  const isDirectoryAfter = change.to === null && members.some(({ to }) => to !== null);
  const from = isDirectoryBefore ? DIRECTORY : change.from;
  const to = isDirectoryAfter ? DIRECTORY : change.to;
  return { ...change, from, to, kind: changeKindOf(from, to, { isRough: true }) ?? "type", members };
}

/** Exact renames only: one file gone, one of the same bytes new, and no other that could be meant. */
export function pairRenames(changes: readonly Change[]): Change[] {
  const count = new Map<string, number>();
  const keyOf = (state: PathState): string | null =>
    state?.kind === "file" && state.hash !== null && state.size > 0 ? state.hash : null;
  for (const { kind, from, to } of changes) {
    const key = kind === "deleted" ? keyOf(from) : kind === "added" ? keyOf(to) : null;
    if (key) count.set(`${kind} ${key}`, (count.get(`${kind} ${key}`) ?? 0) + 1);
  }
  const isPair = (key: string | null): boolean =>
    key !== null && count.get(`deleted ${key}`) === 1 && count.get(`added ${key}`) === 1;
  const gone = new Map(
    changes.flatMap((change) =>
      change.kind === "deleted" && isPair(keyOf(change.from)) ? [[keyOf(change.from), change] as const] : [],
    ),
  );
  return changes.flatMap((change) => {
    if (change.kind === "deleted" && isPair(keyOf(change.from))) return [];
    const old = change.kind === "added" ? gone.get(keyOf(change.to)) : undefined;
    if (!old) return [change];
    return [{ ...change, kind: "renamed" as const, from: old.from, fromPath: old.path }];
  });
}
