/**
 * What a session left uncommitted, as its own (L6). Pure. Another session's changes, the user's own and those nobody
 * claims are not among them: they are never settled in this session's name.
 */
import type { PathName } from "../model/path-name.ts";
import { CLEAN, ownerOf, type SessionTrack } from "./own.ts";

export interface LeftChange {
  readonly path: PathName;
  /** States as text (`stateKey`, or clean): at the session's first look, and at its last. */
  readonly from: string;
  readonly to: string;
}

/** `paths`: those that differ from HEAD at the last capture of the track. */
export function leftChanges(
  paths: Iterable<PathName>,
  track: SessionTrack,
  tracks: readonly SessionTrack[],
): LeftChange[] {
  const last = track.captures.at(-1);
  if (!last) return [];
  const left: LeftChange[] = [];
  for (const path of paths) {
    const to = last.keyAt(path);
    if (to === null || to === CLEAN) continue;
    if (ownerOf(path, to, track, tracks).owner !== "session") continue;
    const first = track.captures.find((capture) => capture.keyAt(path) !== null);
    left.push({ path, from: first?.keyAt(path) ?? CLEAN, to });
  }
  return left;
}
