/** What others write into the session's journal, which its supervisor follows: `refloat stop` above all. */
import { ensureError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { StoredRecord } from "../model/record.ts";
import type { Store } from "../store/store.ts";

/** After a failure of the store it is tried again: a disk that was full may have room by then. */
const TRY_AGAIN_MS = 5000;

export interface HearStop {
  readonly session: SessionId;
  readonly fromSeq: number;
  readonly signal: AbortSignal;
  readonly onStop: (reason: string) => void;
  /** Every record of the session, in order. */
  readonly onRecord?: (record: StoredRecord) => void;
  readonly onFailure: (error: Error) => void;
}

export async function hearStop(store: Store, { session, fromSeq, signal, ...on }: HearStop): Promise<void> {
  let next = fromSeq;
  while (!signal.aborted) {
    try {
      for await (const record of store.follow(session, next, signal)) {
        next = record.seq + 1;
        on.onRecord?.(record);
        if (record.kind === "stop.asked") on.onStop(String(record.body.reason ?? ""));
      }
      return;
    } catch (thrown) {
      if (signal.aborted) return;
      on.onFailure(ensureError(thrown));
      await store.clock.sleep(TRY_AGAIN_MS, signal).catch(() => undefined);
    }
  }
}
