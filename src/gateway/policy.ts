/** Every number a gateway decides by, with its reason (T5). Pure data: options change them, nothing else does. */
import { DIRTY_ENDS_TO_SUSPEND } from "../session/escalation.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface GatewayPolicy {
  /** A turn found interrupted is resumed by itself this long, counted from its discovery, not from its start. */
  readonly freshMs: number;
  /** Found later than this after its last sign of life it is stale at discovery: the asker has gone elsewhere. */
  readonly maxDownMs: number;
  /** Times a conversation was resumed and lost again belong to one chain while the gaps between them are at most this; what was held is let go after it. */
  readonly loopGapMs: number;
  /** The interruption that makes a chain this long is not resumed by itself. */
  readonly loopStarts: number;
  /** Dirty ends of one conversation without progress that suspend it (L2). */
  readonly dirtyEnds: number;
  /** Turns whose next dirty end would be held against them go on one at a time; after this long the next may begin. */
  readonly aloneMs: number;
  /** Suspensions for dirty ends, with no completed turn between them, after which the next input begins a new session. */
  readonly suspensions: number;
  /** Sends whose end nobody saw, before a delivery is given up. Sends that certainly did not arrive do not count. */
  readonly deliveryAttempts: number;
  /** A delivery owed for longer is given up: the answer stays in the conversation. */
  readonly deliveryMaxAgeMs: number;
  readonly deliveryBackoffMs: number;
  readonly deliveryMaxBackoffMs: number;
  /** A confirmation is good this long, and never beyond a restart. */
  readonly confirmationMs: number;
  /** A turn that was asked to stop has this long to do so before it is cut off. */
  readonly stopGraceMs: number;
  /** A drain without a time of its own waits this long for running turns; service managers allow 90 s by default. */
  readonly drainTimeoutMs: number;
  /** After the drain's time the turns are told to stop, and have this long to do so before they are cut off. */
  readonly drainGraceMs: number;
}

export const DEFAULT_POLICY: GatewayPolicy = {
  freshMs: HOUR_MS,
  maxDownMs: 24 * HOUR_MS,
  // A crash cycle of 150 s was missed by a window of 60 s elsewhere; twice that cycle is seen here.
  loopGapMs: 5 * MINUTE_MS,
  loopStarts: 3,
  dirtyEnds: DIRTY_ENDS_TO_SUSPEND,
  // What kills its process does so soon; the others that wait behind it must not wait for hours.
  aloneMs: MINUTE_MS,
  // Once is bad luck, or mended by whoever lifted it; twice it is the history itself.
  suspensions: 2,
  deliveryAttempts: 3,
  deliveryMaxAgeMs: 24 * HOUR_MS,
  deliveryBackoffMs: 500,
  deliveryMaxBackoffMs: MINUTE_MS,
  confirmationMs: 5 * MINUTE_MS,
  // Longer than a drain's: nobody is waiting to end the process, and a tool may have to put things in order.
  stopGraceMs: 10_000,
  drainTimeoutMs: MINUTE_MS,
  drainGraceMs: 5_000,
};
