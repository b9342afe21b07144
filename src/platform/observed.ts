/**
 * What happens, told inside this process as it is on disk (`node:diagnostics_channel`): for spans, metrics and whoever looks on. It
 * costs nothing where nobody listens, and nothing is told before it is acknowledged (T1).
 *
 * What a message carries is as it was written, secrets included: it never leaves the process by itself. Whoever sends it elsewhere redacts it (T4).
 */
import { channel } from "node:diagnostics_channel";

/** Each record that a session's owner wrote here: a StoredRecord. */
export const RECORD_CHANNEL = "refloat:record";
/** Each session that is begun here: a BegunSession. */
export const SESSION_CHANNEL = "refloat:session";

export interface BegunSession {
  readonly session: string;
  readonly attempt: number;
  readonly agent: string;
  /** As it was found. */
  readonly state: string;
  /** Calls, turns and messages that a dead attempt left open. */
  readonly recovered: number;
}

const records = channel(RECORD_CHANNEL);
const sessions = channel(SESSION_CHANNEL);

export function tellRecords(written: readonly object[]): void {
  if (records.hasSubscribers) for (const record of written) records.publish(record);
}

export function tellBegun(begun: BegunSession): void {
  if (sessions.hasSubscribers) sessions.publish(begun);
}
