/** Whether somebody asked to stop since a turn began: then the person stopped it, however its owner came to its end (L4). */
import type { SessionId } from "../model/ids.ts";
import type { StoredRecord } from "../model/record.ts";
import { every } from "../platform/clock.ts";
import type { Heartbeat } from "../session/claims.ts";
import type { Store } from "../store/store.ts";

/** As often as a gateway looks: a person who asked waits no longer than this. */
const LOOK_MS = 1_000;

export async function stopAskedSince(
  store: Store,
  session: SessionId,
  seq: number,
): Promise<StoredRecord | null> {
  const [asked] = await store.records({ session, kinds: ["stop.asked"], fromSeq: seq, limit: 1 });
  return asked ?? null;
}

/**
 * Looks for orders by a timer that keeps no process alive, and tells of each once. A look that fails is no news: the next
 * one looks again, and the session's own writes fail where somebody waits for them. What `onStop` throws is the
 * process's uncaught error, as of every callback: an order that nobody obeyed must not look as if somebody had.
 */
export function watchForStops(
  store: Store,
  session: SessionId,
  fromSeq: number,
  onStop: (reason: string) => void,
): Heartbeat {
  let next = fromSeq;
  let version = -1;
  let isLooking = false;
  const look = async (): Promise<string | null> => {
    const now = await store.driver.version();
    if (now === version) return null;
    const asked = await stopAskedSince(store, session, next);
    if (!asked) {
      version = now;
      return null;
    }
    next = asked.seq + 1;
    return typeof asked.body.reason === "string" ? asked.body.reason : "asked to stop";
  };
  return every(LOOK_MS, () => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch(() => null)
      .then((reason) => {
        isLooking = false;
        if (reason !== null) onStop(reason);
      });
  });
}
