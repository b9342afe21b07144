/** What is known of each machine, by the rows of its workers and sessions. Pure. */
import { isJsonObject } from "../model/json.ts";
import type { SessionSummary } from "../session/describe.ts";
import type { SessionRow } from "../store/contract/driver.ts";

export interface FleetHost {
  readonly host: string;
  /** What it calls itself; null: no worker of it was ever seen. */
  readonly name: string | null;
  /** The last heartbeat of anything on it. */
  readonly lastSeenMs: number | null;
  /** Workers whose heartbeat is fresh, as this machine sees it. */
  readonly workers: number;
  /** Sessions it holds: at work, and presumed lost with it. */
  readonly live: number;
  readonly lost: number;
  /** Dirty ends without progress of the sessions it holds (L2). */
  readonly strikes: number;
}

export interface HostFacts {
  readonly workers: readonly SessionRow[];
  readonly sessions: readonly SessionRow[];
  /** By id. */
  readonly known: ReadonlyMap<string, Pick<SessionSummary, "state" | "dirty_ends">>;
  readonly isHeld: (row: SessionRow) => boolean;
}

/** The machine a session is on: who holds it, else where its tree was last seen; null: nobody knows. */
export function hostOf({ claim, facts }: SessionRow): string | null {
  if (claim.owner) return claim.owner.host;
  if (typeof facts.host === "string") return facts.host;
  const host = isJsonObject(facts.capture) ? facts.capture.host : null;
  return typeof host === "string" ? host : null;
}

/** Those that hold something, or had a worker; the last seen first. */
export function fleetHosts({ workers, sessions, known, isHeld }: HostFacts): FleetHost[] {
  const hosts = new Map<string, FleetHost>();
  const add = (host: string, row: SessionRow, more: (before: FleetHost) => Partial<FleetHost>): void => {
    const before = hosts.get(host) ?? {
      ...{ host, name: null, lastSeenMs: null, workers: 0, live: 0, lost: 0, strikes: 0 },
    };
    const lastSeenMs = Math.max(before.lastSeenMs ?? 0, row.claim.heartbeatAtMs ?? 0) || null;
    hosts.set(host, { ...before, lastSeenMs, ...more(before) });
  };
  for (const row of workers) {
    const host = row.claim.owner?.host;
    const name = typeof row.facts.name === "string" ? row.facts.name : null;
    if (host !== undefined)
      add(host, row, (before) => ({ name, workers: before.workers + (isHeld(row) ? 1 : 0) }));
  }
  for (const row of sessions) {
    const host = row.claim.owner?.host;
    const summary = known.get(row.id);
    if (host === undefined || !summary) continue;
    const isLive = summary.state === "live";
    add(host, row, (before) => ({
      live: before.live + (isLive ? 1 : 0),
      lost: before.lost + (isLive ? 0 : 1),
      strikes: before.strikes + summary.dirty_ends,
    }));
  }
  return [...hosts.values()].toSorted((a, b) => (b.lastSeenMs ?? 0) - (a.lastSeenMs ?? 0));
}
