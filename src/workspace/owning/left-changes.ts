/**
 * What a session left uncommitted, as its own (L6): told purely, and written down at the end of an attempt. Another session's
 * changes, the user's own and those nobody claims are not among them: they are never settled in this session's name. Of a supervised
 * one whose beginning nobody saw, what nobody claims may be its own: it is not called settled while that is there.
 */
import type { SessionId } from "../../model/ids.ts";
import { type PathName, pathJson } from "../../model/path-name.ts";
import type { NewRecord } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { AppendOutcome, Store } from "../../store/store.ts";
import type { Workspace } from "../opening/workspace.ts";
import { lastLeftOf, SEEN_ONCE, sessionsOf } from "../sessions/workspace-sessions.ts";
import { beginningOf, CLEAN, ownerOf } from "./own.ts";
import { loadTracks } from "./session-tracks.ts";
import type { SessionTrack } from "./track.ts";

/** In place of a state: there is something, and nobody knows what. */
export const GAP = "gap";

/** One is enough to be unsettled; more than these were left out of the capture for want of time. */
const MAX_GAPS = 200;

export interface LeftChange {
  readonly path: PathName;
  /** States as text (`stateKey`, or clean): at the session's first look, and at its last. */
  readonly from: string;
  readonly to: string;
}

/** `paths`: those that differ from HEAD at the last capture of the track; of a plain folder, all it lists. */
export function leftChanges(
  paths: readonly PathName[],
  track: SessionTrack,
  tracks: readonly SessionTrack[],
  kind: Workspace["kind"],
): LeftChange[] {
  const last = track.captures.at(-1);
  if (!last) return [];
  const left: LeftChange[] = [];
  const isFolder = kind === "folder";
  const hasBeginning = beginningOf(track) !== null;
  // Of a plain folder that would be all that lies in it.
  const mayOwnMore = track.isSupervised && !hasBeginning && !isFolder;
  // In a plain folder only the first capture names what is gone by the last.
  const named = isFolder ? new Set([...(track.captures[0]?.changedPaths ?? []), ...paths]) : paths;
  for (const path of named) {
    const to = last.keyAt(path);
    if (to === null || (to === CLEAN && !isFolder)) continue;
    const { owner } = ownerOf(path, to, track, tracks);
    if (owner !== "session" && !(mayOwnMore && owner === "unknown")) continue;
    const first = hasBeginning ? track.captures.find((capture) => capture.keyAt(path) !== null) : undefined;
    left.push({ path, from: first?.keyAt(path) ?? CLEAN, to });
  }
  return [...left, ...leftGaps(track)];
}

/**
 * What came while it worked and nobody could read: a submodule with changes of its own, a file that is too large. Nobody
 * can tell that it is not the session's, so it is not settled before it is gone (L6, W4).
 */
function leftGaps({ captures }: SessionTrack): LeftChange[] {
  const gaps = (captures.at(-1)?.gaps ?? []).slice(0, MAX_GAPS);
  const wasClean = (path: PathName): boolean =>
    captures.find((capture) => capture.keyAt(path) !== null || capture.gaps?.includes(path))?.keyAt(path) ===
    CLEAN;
  return gaps.filter(wasClean).map((path) => ({ path, from: CLEAN, to: GAP }));
}

/** At the end of an attempt: finds out what the session leaves uncommitted and writes it down (L6). */
interface LeftAt {
  readonly session: SessionId;
  readonly attempt: number;
  /** The end capture: the last of the session's. */
  readonly capture: string;
  readonly place: string;
  append(records: readonly NewRecord[]): Promise<AppendOutcome>;
}

export async function recordLeft(store: Store, workspace: Workspace, at: LeftAt): Promise<void> {
  const rows = await sessionsOf(store, [workspace.root, at.place], SEEN_ONCE);
  const tracks = await loadTracks(store, workspace.root, concerned(rows, at.session));
  const track = tracks.find(({ session }) => session === at.session);
  const last = track?.captures.at(-1);
  if (!track || last?.id !== at.capture) return;
  const changes = leftChanges(last.changedPaths, track, tracks, workspace.kind);
  await at.append([leftRecord(store, at, changes)]);
}

function leftRecord(store: Store, { attempt, capture }: LeftAt, changes: readonly LeftChange[]): NewRecord {
  return newRecord(store.clock, "session.left", {
    attempt,
    capture,
    changes: changes.map(({ path, from, to }) => ({ ...pathJson(path), from, to })),
  });
}

/** Whose claims can matter: this session, those not yet over, and those that left something. */
export function concerned(rows: readonly SessionRow[], self: SessionId): SessionRow[] {
  return rows.filter((row) => {
    if (row.id === self || typeof row.facts.ended_at_ms !== "number") return true;
    const left = lastLeftOf(row);
    return left === null ? row.facts.capture !== undefined : left.changes > 0;
  });
}
