/** Whoever has nothing to do waits for all queues he serves: what is added to any of them, on whichever machine, wakes him. */
import type { SessionId } from "../model/ids.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { PRIORITIES, queueOf, type RepositoryId } from "./queue-place.ts";

/** A wait that nobody wants any more ends after this at the latest. */
const LOOK_AGAIN_MS = 1000;
/** Between two looks where any commit wakes: many that write keep nobody reading all the time. */
const LOOK_PAUSE_MS = 100;

/** How far each queue had come. */
export type QueueHeads = ReadonlyMap<SessionId, number>;

/** Every queue that may be, also those that nothing was added to yet: the first item of one wakes, too. */
export function queueHeads(rows: readonly SessionRow[], repositories: readonly RepositoryId[]): QueueHeads {
  const heads = new Map(repositories.flatMap(everyQueue).map((id) => [id, 0]));
  for (const { id, head } of rows) heads.set(id, head);
  return heads;
}

const everyQueue = (repository: RepositoryId): SessionId[] =>
  Array.from({ length: PRIORITIES.highest - PRIORITIES.lowest + 1 }, (_, n) =>
    queueOf(repository, PRIORITIES.lowest + n),
  );

/** True: one of them has come further than that. False: none did within `maxMs`, or the signal came first. */
export async function queueMoved(
  store: Store,
  heads: QueueHeads,
  maxMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const untilMs = store.clock.monotonicMs() + maxMs;
  const leftMs = (): number => (signal.aborted ? 0 : untilMs - store.clock.monotonicMs());
  while (leftMs() > 0) {
    const looks = await Promise.all([...heads].map(([id, head]) => lookAt(store, id, head)));
    if (looks.some(({ isMoved }) => isMoved)) return true;
    const againMs = store.clock.monotonicMs() + LOOK_PAUSE_MS;
    // An engine that does not tell sessions apart wakes for any commit: one wait is as good as all, and then it is looked whether it was theirs.
    const waited = tellsSessionsApart(store) ? looks : looks.slice(0, 1);
    while (leftMs() > 0) if (await anyChanged(store, waited, Math.min(leftMs(), LOOK_AGAIN_MS))) break;
    const pauseMs = Math.min(leftMs(), againMs - store.clock.monotonicMs());
    if (!tellsSessionsApart(store) && pauseMs > 0)
      await store.clock.sleep(pauseMs, signal).catch(() => undefined);
  }
  return false;
}

/** False: `changed` tells of any commit, whichever session is asked about. */
const tellsSessionsApart = ({ driver }: Store): boolean => driver.kind === "postgres";

interface LookedAt {
  readonly id: SessionId;
  readonly version: number;
  readonly isMoved: boolean;
}

/** Asked in one tick, all of them are one statement. */
async function lookAt(store: Store, id: SessionId, head: number): Promise<LookedAt> {
  const [version, row] = await Promise.all([store.version(id), store.session(id)]);
  return { id, version, isMoved: (row?.head ?? 0) !== head };
}

/** As soon as one has; false: none did. */
function anyChanged(store: Store, looks: readonly LookedAt[], maxMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const waits = looks.map(async ({ id, version }) => {
      if (await store.changed(id, version, maxMs)) resolve(true);
    });
    Promise.all(waits).then(() => resolve(false), reject);
  });
}
