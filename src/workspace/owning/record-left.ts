/** At the end of an attempt: finds out what the session leaves uncommitted and writes it down (L6). */
import type { SessionId } from "../../model/ids.ts";
import { pathJson } from "../../model/path-name.ts";
import type { NewRecord } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { AppendOutcome, Store } from "../../store/store.ts";
import type { Workspace } from "../opening/workspace.ts";
import { lastLeftOf, sessionsOf } from "../sessions/workspace-sessions.ts";
import { type LeftChange, leftChanges } from "./left-changes.ts";
import { loadTracks } from "./session-tracks.ts";

export interface LeftAt {
  readonly session: SessionId;
  readonly attempt: number;
  /** The end capture: the last of the session's. */
  readonly capture: string;
  readonly place: string;
  append(records: readonly NewRecord[]): Promise<AppendOutcome>;
}

export async function recordLeft(store: Store, workspace: Workspace, at: LeftAt): Promise<void> {
  const rows = await sessionsOf(store, [workspace.root, at.place]);
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
