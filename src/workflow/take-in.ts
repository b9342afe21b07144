/**
 * A claim that only the file knows, in the store: from then on it is judged, taken over and broken like any other, and
 * the journal says from whom (K4). Its heartbeat is the file's.
 */
import { RefloatError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { refusalError } from "../store/refusal-error.ts";
import { beganRecord, type OpenedState } from "./change-state.ts";
import { fileOwner, isOfFile } from "./claim-owner.ts";
import { type FileHolder, keyOf, thresholdOfClaim } from "./holders.ts";
import { storeClaimOf } from "./store-claims.ts";

export interface FoundInFile {
  readonly doc: JsonObject;
  /** The step it is taken in for, or `lock`. */
  readonly step: string;
  readonly holder: FileHolder;
  /** What the store has for it. */
  readonly row: SessionRow | null;
}

/** The caller holds the file's claim. */
export async function takeInFromFile(opened: OpenedState, found: FoundInFile): Promise<SessionRow> {
  const { store, identity } = opened;
  const { doc, step, holder, row } = found;
  const session = identity.stepSession(step);
  const from = row?.claim.owner ?? null;
  const token = keyOf(holder);
  if (row && from && isOfFile(from) && (await storeClaimOf(store, row)).token === token) return row;
  const owner = fileOwner(holder.owner);
  const attempt = (row?.claim.attempt ?? 0) + 1;
  const why = row === null ? "new" : from === null ? "released" : "lost";
  const reason = "the state file says so";
  const taken = newRecord(store.clock, "claim.taken", { attempt, owner, why, from, reason, token });
  const outcome = await store.take({
    session,
    seen: row ? { attempt: row.claim.attempt, holder: from?.instance ?? null } : null,
    owner,
    nowMs: holder.heartbeatMs ?? 0,
    thresholdMs: thresholdOfClaim(doc, holder),
    records: row ? [taken] : [beganRecord(store, identity.path, identity.stepName(step)), taken],
  });
  if (outcome.kind === "refused") throw refusalError({ session }, outcome.refusal);
  const now = await store.session(session);
  if (!now) throw new RefloatError("E_NO_SESSION", { what: session });
  return now;
}
