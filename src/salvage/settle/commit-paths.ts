/**
 * A group as the paths of a commit: the file as it is in the tree, or the session's part of one that was dirty before
 * (DESIGN 7). A group with a path that has no such part, or that is not held, cannot be committed.
 */
import type { CommitOrder } from "../../acts/compilers/commit.ts";
import type { CommitPath } from "../../acts/git/commit-objects.ts";
import { isSameStaged } from "../../acts/plans/draft.ts";
import { CAPTURE_FILE_BYTES } from "../../model/limits.ts";
import { type PathName, pathFromJson } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { Store } from "../../store/store.ts";
import type { Group } from "../../triage/verdict/group.ts";
import { contentFinder, type FindContent } from "../../workspace/compare/content-finder.ts";
import type { Change } from "../../workspace/compare/states.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { earlierOwner, wasDirtyBefore } from "../changes/owned-changes.ts";
import type { Salvage } from "../judging/salvage.ts";

export type GroupPaths =
  | { readonly kind: "paths"; readonly paths: readonly CommitPath[] }
  | {
      readonly kind: "unfit";
      readonly path: PathName;
      readonly why: string;
      /** As a conflict's. */
      readonly earlier?: string | null;
    };

export interface CommitPathsOptions {
  readonly store: Store | null;
  readonly repository: Repository;
  readonly root: string;
  readonly found: Salvage;
}

export async function commitPathsOf(group: Group, options: CommitPathsOptions): Promise<GroupPaths> {
  const { store, repository, root, found } = options;
  const { reading, headId } = found.owned.now;
  const find = contentFinder({ store, repository, root, commits: [headId], maxBytes: CAPTURE_FILE_BYTES });
  const flags = new Map(reading.entries.map((entry) => [entry.path, entry.flags]));
  const gaps = new Map(reading.gaps.map(({ path, detail }) => [path, detail]));
  const paths: CommitPath[] = [];
  for (const { change } of group.changes) {
    for (const one of piecesOf(change)) {
      const why = gaps.get(one.path) ?? whyFiltered(flags.get(one.path) ?? []);
      if (why !== null) return { kind: "unfit", path: one.path, why };
      const read = await bytesFor(one, change, found, find);
      if (read.kind === "none") {
        const { why, isUponEarlier } = read;
        const earlier = isUponEarlier ? { earlier: earlierOwner(change.path, found.owned) } : {};
        return { kind: "unfit", path: one.path, why, ...earlier };
      }
      paths.push({ ...one, group: group.id, bytes: read.bytes });
    }
  }
  return { kind: "paths", paths };
}

interface CommitPiece {
  readonly path: PathName;
  /** In the commit. */
  readonly state: PathState;
  readonly inTree: PathState;
}

/** Git knows no directories: what was one is gone as itself, and its paths are named one by one. */
function piecesOf({ path, from, to, fromPath, members }: Change): CommitPiece[] {
  const as = (name: PathName, state: PathState): CommitPiece => ({ path: name, state, inTree: state });
  const isFolderAfter = to?.kind === "directory";
  // A link that became a folder is gone as itself, and there is a folder in its place.
  const own = isFolderAfter
    ? from?.kind === "directory"
      ? []
      : [{ path, state: null, inTree: to }]
    : [as(path, to)];
  const old = fromPath === undefined ? [] : [as(fromPath, null)];
  return [...own, ...old, ...members.map((member) => as(member.path, member.to))];
}

/** Bytes that a filter of the repository should have changed, and did not because nobody trusted it. */
function whyFiltered(flags: readonly string[]): string | null {
  const filter = flags.find((flag) => flag.startsWith("raw-filter:"))?.slice("raw-filter:".length);
  return filter === undefined ? null : `its filter ${filter} is not trusted (refloat trust)`;
}

type ReadBytes =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array | null }
  | { readonly kind: "none"; readonly why: string; readonly isUponEarlier: boolean };

async function bytesFor(
  { path, state }: Pick<CommitPiece, "path" | "state">,
  change: Change,
  found: Salvage,
  find: FindContent,
): Promise<ReadBytes> {
  const part = await found.partOf(change);
  switch (part.kind) {
    case "none":
      return { ...part, isUponEarlier: true };
    case "part":
      return { kind: "bytes", bytes: part.bytes };
    case "whole":
      break;
    default:
      return part satisfies never;
  }
  if (state === null || state.kind === "directory" || state.kind === "submodule")
    return { kind: "bytes", bytes: null };
  const bytes = state.hash === null ? null : await find(path, state.hash, state.size);
  return bytes
    ? { kind: "bytes", bytes }
    : { kind: "none", why: "its bytes are not held", isUponEarlier: false };
}

/**
 * Whether what is staged at a path was staged while the session worked, as far as its captures tell: its last one that looked
 * at the index shows the very same entry, and its first one did not have it. Then a commit of the session's work takes its
 * place; everything else staged is the user's and is carried along (W7).
 */
export function isStagedBySession({ wholeCaptures, owned }: Salvage): CommitOrder["isStagedBySession"] {
  const last = wholeCaptures.find(({ capture }) => capture.how === "status")?.capture;
  const entries = new Map(last?.entries.map((entry) => [pathFromJson(entry), entry]) ?? []);
  return (path, staged) => {
    if (wasDirtyBefore(path, owned.track)) return false;
    const then = entries.get(path)?.staged;
    return then !== undefined && isSameStaged(then, staged);
  };
}
