/**
 * A path that is dirty again and again with no session that wrote it has an automated writer: a timer, a formatter, a
 * build (DESIGN 8). Reverting it again is not the answer; the writer is. Pure.
 */
import type { PathName } from "../../../model/path-name.ts";
import { CLEAN } from "../../../workspace/owning/own.ts";
import type { Sighting } from "../../facts/known/triage-facts.ts";

/** Sessions in which it became dirty anew. Twice is chance: a leftover of the one before. */
const RECURRING_SESSIONS = 3;
const MAX_HISTORY = 20;

export interface RecurringWriter {
  readonly path: PathName;
  readonly message: string;
  readonly history: readonly string[];
}

export function recurringWriters(sightings: readonly Sighting[]): RecurringWriter[] {
  const byPath = new Map<PathName, Sighting[]>();
  for (const sighting of sightings) {
    const known = byPath.get(sighting.path);
    if (known) known.push(sighting);
    else byPath.set(sighting.path, [sighting]);
  }
  return [...byPath].flatMap(([path, seen]) => {
    if (seen.some(({ isWritten }) => isWritten)) return [];
    const fresh = becameDirty(seen.toSorted((a, b) => a.atMs - b.atMs));
    const sessions = new Set(fresh.map(({ session }) => session));
    if (sessions.size < RECURRING_SESSIONS) return [];
    const message = `${path} was dirty anew in ${sessions.size} sessions, none of which wrote it: something else writes it.`;
    return [{ path, message, history: historyOf(fresh) }];
  });
}

/** Each time it came to another state than it was in: one state seen often is one change nobody settled. */
function becameDirty(ordered: readonly Sighting[]): Sighting[] {
  return ordered.filter(({ stateKey }, at) => stateKey !== CLEAN && stateKey !== ordered[at - 1]?.stateKey);
}

function historyOf(seen: readonly Sighting[]): string[] {
  return seen
    .slice(-MAX_HISTORY)
    .map(
      ({ session, capture, atMs }) =>
        `session ${session}, capture ${capture}, ${new Date(atMs).toISOString()}`,
    );
}
