/**
 * Following a session: what is there from a number on, then what comes. It holds nothing while it waits (driver 6), and it outlives a
 * store that is away for a while: a server that is restarted, a disk that fails and comes back. It goes on after the last
 * record it handed out, so nobody misses one or sees it twice (D3).
 */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { StoredRecord } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import type { RecordQuery } from "./contract/driver.ts";

/** `follow` looks again after this long even if nobody rang. */
const FOLLOW_WAIT_MS = 1000;
/** Between two looks at a store that is away; the driver has waited for it by itself before it says so. */
const AWAY_MS = 500;
const MAX_AWAY_MS = 15_000;

/** It may be back the next time. */
const PASSING: ReadonlySet<string> = new Set([
  "E_STORE_UNREACHABLE",
  "E_STORE_LOST",
  "E_STORE_BUSY",
  "E_STORE_IO",
]);

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Hears of each look that failed because the store is away. Following goes on. */
  readonly onTrouble?: (error: RefloatError) => void;
}

/** What following needs of a store. */
export interface FollowedStore {
  readonly clock: Clock;
  readonly isClosing: () => boolean;
  records(query: RecordQuery): Promise<readonly StoredRecord[]>;
  version(session: SessionId): Promise<number>;
  session(session: SessionId): Promise<{ readonly head: number } | null>;
  /** False: nothing came. */
  changed(session: SessionId, version: number, maxMs: number): Promise<boolean>;
}

export async function* followSession(
  store: FollowedStore,
  session: SessionId,
  fromSeq: number,
  { signal, onTrouble }: FollowOptions,
): AsyncGenerator<StoredRecord> {
  const isOver = (): boolean => store.isClosing() || signal?.aborted === true;
  let next = fromSeq;
  let failures = 0;
  while (!isOver()) {
    try {
      const version = await store.version(session);
      const page = await store.records({ session, fromSeq: next });
      failures = 0;
      for (const record of page) {
        if (signal?.aborted) return;
        yield record;
        next = record.seq + 1;
      }
      // Looks again now and then whether it is still wanted; what did not move is not read again.
      if (page.length > 0) continue;
      // Removed, and maybe begun anew under its id: waiting for the number after the last one would pass over what comes (D3).
      if (next > fromSeq && ((await store.session(session))?.head ?? 0) < next - 1)
        throw new RefloatError("E_NO_SESSION", { what: session });
      while (!isOver()) if (await store.changed(session, version, FOLLOW_WAIT_MS)) break;
    } catch (thrown) {
      if (!(thrown instanceof RefloatError)) throw thrown;
      // Closed while it was looking: that is its end, not its failure.
      if (store.isClosing() && thrown.code === "E_CLOSED") return;
      if (!PASSING.has(thrown.code)) throw thrown;
      onTrouble?.(thrown);
      await pause(store.clock, Math.min(AWAY_MS * 2 ** failures++, MAX_AWAY_MS), signal);
    }
  }
}

/** Called off, it has waited long enough. */
async function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  await clock.sleep(ms, signal).catch((thrown: unknown) => {
    if (!signal?.aborted) throw thrown;
  });
}
