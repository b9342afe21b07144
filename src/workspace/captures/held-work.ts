/**
 * What a session's captures hold of its work, for a tree that is not the one it worked in: a fresh clone at the same path, a clone
 * elsewhere, another work tree (W8). It belongs to the session, so it is read from the store alone; of the repository one
 * stands in only its commits are asked for. Where it has not the commit the session was at last, what the session had
 * committed since the last one that is here counts as work, too: the captures hold it (moved-sides.ts).
 */
import type { Capture } from "../../model/capture.ts";
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import { stateKey } from "../../model/path-state.ts";
import { placeInside } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { Head } from "../git/head.ts";
import { hasCommit, objectsAt } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";
import { isOtherMark, ownMark, treeMark } from "../opening/tree-mark.ts";
import type { Workspace } from "../opening/workspace.ts";
import { CLEAN } from "../owning/own.ts";
import type { SessionTrack } from "../owning/track.ts";
import { lastCaptureOf } from "../sessions/workspace-sessions.ts";
import type { ReadEntry, Reading } from "../tree/reading.ts";
import { type LastCaptured, lastCaptured } from "./captured-states.ts";
import { capturesOf } from "./captures.ts";
import { committedOver, type LostCommits, lostCommits } from "./held-commits.ts";

export interface HeldWork {
  readonly session: SessionId;
  /** The newest capture. */
  readonly capture: string;
  readonly atMs: number;
  /** The top of the tree it was taken in. */
  readonly path: string;
  /** The repository's own folder then: of a linked work tree it may outlive the tree. Null: a folder without git. */
  readonly commonDir: string | null;
  /** Where HEAD was then; null: a folder without git. */
  readonly head: Head | null;
  /** The last of its commits that is here, which the work lies on; null: none of them, or there was none. */
  readonly base: string | null;
  /** Commits it was at later that are not here, the oldest first. */
  readonly missing: readonly string[];
  /** Its work on top of `base`. */
  readonly reading: Reading;
  /** Of each capture on a commit that is not here: what that had at paths, as text (`stateKey`). */
  readonly committed: ReadonlyMap<string, ReadonlyMap<PathName, string>>;
}

/** Whether a capture was taken in another tree than this. */
export function isOfOtherTree(taken: Capture["workspace"], workspace: Workspace): boolean {
  if (taken.tree !== undefined) return isOtherMark(ownMark(workspace), taken.tree);
  const isElsewhere = taken.path !== workspace.root;
  return isElsewhere || (taken.clone !== null && isOtherMark(treeMark(workspace), taken.clone));
}

/** Whether the session worked in another tree than this, as far as its row tells; nothing is read for it. */
export function isAway(row: SessionRow, workspace: Workspace): boolean {
  const last = lastCaptureOf(row);
  if (!last) return false;
  if (last.tree !== null) return isOtherMark(ownMark(workspace), last.tree);
  // An older record names the repository only, which all its work trees have in common.
  const isElsewhere = placeInside(workspace.root, String(row.facts.workspace ?? "")) === null;
  return isElsewhere || (last.clone !== null && isOtherMark(treeMark(workspace), last.clone));
}

/** Whether this clone is one of the repository the session worked in: told by the first commit, which none but a shallow one lacks. */
export async function isOfSameRepository(row: SessionRow, workspace: Workspace): Promise<boolean> {
  const { rootCommit = null } = lastCaptureOf(row) ?? {};
  if (workspace.kind === "folder") return false;
  const known = [rootCommit, row.facts.captured_head].filter((id) => typeof id === "string");
  const repository = await workspace.repository();
  for (const id of known) if (await hasCommit(repository, id)) return true;
  return false;
}

/** `repository`: of the clone one stands in; null: there is none. Null: nothing of it is held any more. */
export async function heldWork(
  store: Store,
  session: SessionId,
  repository: Repository | null,
): Promise<HeldWork | null> {
  const last = await lastCaptured(store, session);
  if (!last) return null;
  const { id: capture, atMs, workspace, head } = last;
  const about = { session, capture, atMs, path: workspace.path, commonDir: workspace.common_dir, head };
  const at = head?.id ?? null;
  const none = { missing: [], reading: last.reading, committed: new Map() };
  if (at === null || !repository) return { ...about, base: at, ...none };
  if (await hasCommit(repository, at)) return { ...about, base: at, ...none };
  const lost = await lostCommits(capturesOf(store, session), (id) => hasCommit(repository, id));
  if (lost.base === null) return { ...about, base: null, ...none, missing: lost.missing };
  const reading = await onBase(store, repository, last, lost, lost.base);
  return { ...about, base: lost.base, missing: lost.missing, reading, committed: keysOf(lost) };
}

/** The last reading as it would be had the session committed nothing since `base`. */
async function onBase(
  store: Store,
  repository: Repository,
  { head, reading }: LastCaptured,
  lost: LostCommits,
  base: string,
): Promise<Reading> {
  const named = new Set([...reading.entries, ...reading.gaps].map(({ path }) => path));
  const paths = [...new Set([...named, ...lost.last.keys()])];
  const objects = await objectsAt(repository, base, paths);
  const over = await committedOver(store, lost, (path) =>
    named.has(path) ? null : (objects.get(path) ?? "none"),
  );
  const entries = [...reading.entries, ...over.entries].map(({ staged: _, ...entry }): ReadEntry => {
    const object = objects.get(entry.path) ?? null;
    return { ...entry, head: object, flags: object === null ? ["untracked"] : [] };
  });
  const at = head === null ? null : { ...head, id: base };
  return { ...reading, head: at, index: null, entries, gaps: [...reading.gaps, ...over.gaps] };
}

function keysOf({ byCapture }: LostCommits): HeldWork["committed"] {
  return new Map(
    [...byCapture].map(([capture, sides]) => [
      capture,
      new Map([...sides].map(([path, side]) => [path, stateKey(side)])),
    ]),
  );
}

/** What was clean on a commit that is not here is work of the session's there: owners are told by that. */
export function withCommitted(
  tracks: readonly SessionTrack[],
  { session, committed }: Pick<HeldWork, "session" | "committed">,
): SessionTrack[] {
  return tracks.map((track) => {
    if (track.session !== session || committed.size === 0) return track;
    const captures = track.captures.map((capture) => {
      const keys = committed.get(capture.id);
      if (!keys) return capture;
      const keyAt = (path: PathName): string | null => {
        const key = capture.keyAt(path);
        return key === CLEAN ? (keys.get(path) ?? key) : key;
      };
      return { ...capture, keyAt, changedPaths: [...new Set([...capture.changedPaths, ...keys.keys()])] };
    });
    return { ...track, captures };
  });
}
