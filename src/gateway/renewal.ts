/**
 * A fresh start: a conversation whose history ends its process again and again goes on in a new session, and the old
 * one stays as it is. One record in the old journal is the whole step: from then on its inputs go where it leads, and
 * the new session comes into being with the first of them, which names the old one (`continues`). Inputs that still
 * waited are stored there first and dropped here afterwards: a kill between the two stores them again, as repeats (D4).
 */
import { stopRecord } from "../conversation/order-stop.ts";
import { giving, RefloatError } from "../model/errors.ts";
import type { RecordId, SessionId } from "../model/ids.ts";
import type { NewRecord } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { randomId } from "../platform/random.ts";
import { renewedAs } from "../session/describe.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";

/** A conversation begun anew more often is not looked through any further: something else is wrong with it. */
const MAX_RENEWALS = 100;
/** Of every journal's one renewal: who comes second finds it written (D4). */
const RECORD_ID = "renewed" as RecordId;

export const renewedRecord = (clock: Clock, reason: string): NewRecord =>
  newRecord(clock, "session.renewed", { session: randomId(), reason }, RECORD_ID);

export interface CurrentSession {
  readonly id: SessionId;
  /** Null: it has no input yet. */
  readonly row: SessionRow | null;
  /** Where the conversation was before, oldest first. */
  readonly before: readonly SessionId[];
}

/** Where a conversation goes on now. */
export async function currentSession(store: Store, conversation: SessionId): Promise<CurrentSession> {
  const before: SessionId[] = [];
  for (let id = conversation; before.length <= MAX_RENEWALS; ) {
    const row = await store.session(id);
    const next = renewedAs(row);
    if (next === null) return { id, row, before };
    before.push(id);
    id = next;
  }
  throw new RefloatError("E_INTERNAL", { why: `${conversation} was begun anew too often` });
}

/**
 * Suspends it for good and begins anew with its next input; where that is. A turn that runs in it is asked to stop: the
 * conversation's id leads elsewhere from here on, and nobody could stop it by that (L4).
 */
export async function renew(store: Store, conversation: SessionId, reason: string): Promise<SessionId> {
  const { id, row } = await currentSession(store, conversation);
  if (!row) return id; // nothing was said in it yet: it is as fresh as can be
  const { clock } = store;
  const records = [
    stopRecord(clock, row, `begun anew: ${reason}`),
    newRecord(clock, "session.suspended", { reason: `begun anew: ${reason}` }),
    renewedRecord(clock, reason),
  ];
  // Somebody else did so at the same moment: that one stands.
  await store.append(id, "anyone", records).catch(giving(null, "E_ID_REUSED"));
  return (await currentSession(store, id)).id;
}
