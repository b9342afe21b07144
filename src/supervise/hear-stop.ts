/**
 * Who asks a supervisor to end: signals, heard from the very beginning, and what others write into the session's
 * journal, `refloat stop` above all.
 */
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

/** The signals that ask a supervisor to end, heard from the very beginning: one that comes early is not lost. */
const HEARD = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface HeardSignals {
  /** The first that came while nobody listened. */
  readonly early: NodeJS.Signals | null;
  listen(onSignal: (signal: NodeJS.Signals) => void): void;
  stop(): void;
}

export function hearSignals(): HeardSignals {
  let early: NodeJS.Signals | null = null;
  let listener: ((signal: NodeJS.Signals) => void) | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (listener) listener(signal);
    else early ??= signal;
  };
  for (const signal of HEARD) process.on(signal, onSignal);
  return {
    get early() {
      return early;
    },
    listen: (onHeard) => {
      listener = onHeard;
    },
    stop: () => {
      for (const signal of HEARD) process.off(signal, onSignal);
    },
  };
}
