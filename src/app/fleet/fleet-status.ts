/** The fleet at a glance: machines with their last sign of life, what is cut off and held back, what waits. A bounded number of statements. */
import { type FleetHost, fleetHosts } from "../../fleet/hosts.ts";
import { MAX_WAITING } from "../../fleet/queue.ts";
import { queuesOf } from "../../fleet/queue-place.ts";
import { readItems } from "../../fleet/read-queue.ts";
import { WORKER_PREFIX } from "../../model/ids.ts";
import { decideClaim } from "../../session/decide-claim.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { livenessOfHolder } from "../../store/holder.ts";
import { usersSessions } from "../../workflow/own-journal.ts";
import type { AppPlace } from "../place/app-place.ts";

export interface FleetQueue {
  readonly repository: string;
  readonly name: string;
  readonly waiting: number;
  readonly deferred: number;
  readonly taken: number;
  /** When the one was added that waits longest; null: none waits. */
  readonly oldestMs: number | null;
}

export interface FleetStatus {
  readonly hosts: readonly FleetHost[];
  /** Of all sessions that have not ended. */
  readonly counts: {
    readonly live: number;
    readonly idle: number;
    readonly interrupted: number;
    readonly suspended: number;
    /** Dirty ends without progress, of all of them (L2). */
    readonly strikes: number;
  };
  readonly queues: readonly FleetQueue[];
}

export async function fleetStatus(at: AppPlace): Promise<FleetStatus> {
  const store = await at.findStore();
  const counts = { live: 0, idle: 0, interrupted: 0, suspended: 0, strikes: 0 };
  if (!store) return { hosts: [], counts, queues: [] };
  const { raw } = store;
  const [rows, workers, queues] = await Promise.all([
    raw.sessions({ isUnended: true }),
    raw.sessions({ prefix: WORKER_PREFIX }),
    queuesOf(raw, null),
  ]);
  const sessions = usersSessions(rows);
  const known = new Map((await store.describe(sessions)).map((one) => [one.id, one]));
  for (const { state, dirty_ends } of known.values()) {
    if (state !== "finished") counts[state]++;
    counts.strikes += dirty_ends;
  }
  const nowMs = at.clock.nowMs();
  const isHeld = (row: SessionRow): boolean =>
    row.claim.owner !== null && decideClaim(row.claim, livenessOfHolder(row).liveness, nowMs).kind === "held";
  return {
    hosts: fleetHosts({ workers, sessions, known, isHeld }),
    counts,
    queues: await Promise.all(queues.map((queue) => queueStatus(raw, queue))).then(byRepository),
  };
}

async function queueStatus(raw: Parameters<typeof readItems>[0], queue: SessionRow): Promise<FleetQueue> {
  const open = await raw.open(queue.id, { limit: 3 * MAX_WAITING });
  const of = (what: string): number => open.filter((one) => one.what === what).length;
  const [first] = await readItems(raw, [queue], { waiting: 1, deferred: 0, taken: 0, ended: 0 });
  return {
    repository: queue.id.slice("queue-".length, -2),
    name: typeof queue.facts.name === "string" ? queue.facts.name : "",
    ...{ waiting: of("item"), deferred: of("deferred"), taken: of("taken") },
    oldestMs: first?.addedAtMs ?? null,
  };
}

/** All priorities of one together. */
function byRepository(queues: readonly FleetQueue[]): FleetQueue[] {
  const all = new Map<string, FleetQueue>();
  for (const one of queues) {
    const before = all.get(one.repository);
    const oldest = [before?.oldestMs, one.oldestMs].filter((ms): ms is number => typeof ms === "number");
    all.set(one.repository, {
      ...one,
      waiting: one.waiting + (before?.waiting ?? 0),
      deferred: one.deferred + (before?.deferred ?? 0),
      taken: one.taken + (before?.taken ?? 0),
      oldestMs: oldest.length === 0 ? null : Math.min(...oldest),
    });
  }
  return [...all.values()];
}
