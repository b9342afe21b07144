/**
 * Which processes descend from the agent, look by look. Pure. The kernel forgets a dead parent, so three things
 * are remembered: who was seen (pid and start time), and the sessions (setsid) they began. A process in such a session descends from its
 * beginner even if everybody between them is gone: a session is only ever inherited.
 */
import type { ProcessRow } from "../platform/process-list.ts";

export interface DescendantProcess {
  readonly pid: number;
  readonly started: number;
}

export interface KnownProcesses {
  /** By pid; those that are gone are dropped at the next look. */
  readonly seen: ReadonlyMap<number, DescendantProcess>;
  /** The beginner of each session that was seen, with its start time. */
  readonly sessions: ReadonlyMap<number, number>;
}

/** `isMarked` is asked of a process nothing else tells about. */
export function look(
  rows: readonly ProcessRow[],
  before: KnownProcesses,
  isMarked: (row: ProcessRow) => boolean,
): KnownProcesses {
  const live = rows.filter(({ hasExited }) => !hasExited);
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const sessions = new Map(
    [...before.sessions].filter(([pid, started]) => isStillTheirs(byPid, pid, started)),
  );
  const seen = new Map<number, DescendantProcess>();
  const add = ({ pid, started, session }: ProcessRow): void => {
    seen.set(pid, { pid, started });
    if (session === pid) sessions.set(pid, started);
  };
  for (const row of live) if (before.seen.get(row.pid)?.started === row.started || isMarked(row)) add(row);
  for (let isGrowing = true; isGrowing; ) {
    const more = live.filter(
      ({ pid, parent, session }) => !seen.has(pid) && (seen.has(parent) || sessions.has(session)),
    );
    for (const row of more) add(row);
    isGrowing = more.length > 0;
  }
  return { seen, sessions: new Map([...sessions].filter(([id]) => live.some((row) => row.session === id))) };
}

/** A session's number is not given away while anybody is in it; when its beginner is there, it must be the same one. */
function isStillTheirs(byPid: ReadonlyMap<number, ProcessRow>, pid: number, started: number): boolean {
  const beginner = byPid.get(pid);
  return beginner === undefined || beginner.started === started;
}
