/**
 * What happens, told inside this process as it is on disk (`node:diagnostics_channel`): for spans, metrics and whoever looks on. It
 * costs nothing where nobody listens, and nothing is told before it is acknowledged (T1).
 *
 * What a message carries is as it was written, secrets included: it never leaves the process by itself. Whoever sends it elsewhere redacts it (T4).
 */
import { channel } from "node:diagnostics_channel";

/** Each record that was written under a claim here, and what a session's handle queued: a StoredRecord. */
export const RECORD_CHANNEL = "refloat:record";
/** Each session that is begun here, by `begin` or to run an agent: a BegunSession. */
export const SESSION_CHANNEL = "refloat:session";

export interface BegunSession {
  readonly session: string;
  readonly attempt: number;
  /** By the store's clock, as its records. */
  readonly atMs: number;
  readonly agent: string;
  /** As it was found. */
  readonly state: string;
  /** Calls, turns and messages that a dead attempt left open and this beginning closed; 0 where that was done before (`run`, `resume`). */
  readonly recovered: number;
}

const records = channel(RECORD_CHANNEL);
const sessions = channel(SESSION_CHANNEL);

/** Whether it is worth the making. */
export const isHeard = (): boolean => records.hasSubscribers;

export function tellRecords(written: readonly object[]): void {
  if (records.hasSubscribers) for (const record of written) records.publish(record);
}

export function tellBegun(begun: BegunSession): void {
  if (sessions.hasSubscribers) sessions.publish(begun);
}
