/**
 * Holding a session back from being resumed by itself, and ending that (L2, L4); its history stays as it is. What a lift is about is
 * where the conversation goes on: of one that was begun anew, in the old session nothing does. Not by the session's own process (T2).
 */
import { currentSession } from "../../gateway/renewal.ts";
import type { SessionId } from "../../model/ids.ts";
import type { SessionSummary } from "../../session/describe.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionState } from "../../session/state.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { assertNotJudgedAs } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { findSession, rowNow, summaryOf } from "./find-session.ts";

/** Why, where nobody said. */
const BY_ORDER = "by order";

export interface SuspendOutcome {
  readonly store: RefloatStore;
  readonly summary: SessionSummary;
  /** False: it was suspended already, and nothing was written. */
  readonly isNew: boolean;
}

export async function suspendSession(
  at: AppPlace,
  typed: string | null,
  reason: string | null,
): Promise<SuspendOutcome> {
  const { store, row } = await findSession(at, typed);
  const isNew = typeof row.facts.suspended !== "string";
  const { raw } = store;
  const body = { reason: reason ?? BY_ORDER };
  if (isNew) await raw.append(row.id, "anyone", [newRecord(raw.clock, "session.suspended", body)]);
  return { store, summary: await summaryOf(store, await rowNow(store, row.id)), isNew };
}

/** `left-turn`: its gateway takes up the turn that it left. `not-begun`: the next input begins it. The last two: nothing was written. */
export type LiftedFrom = "suspension" | "left-turn" | "nothing" | "not-begun";

export interface LiftOutcome {
  readonly store: RefloatStore;
  /** Where the conversation goes on. */
  readonly session: SessionId;
  /** The one that was meant, where it was begun anew since. */
  readonly renewedFrom: SessionId | null;
  readonly from: LiftedFrom;
  readonly state: SessionState | null;
}

/** The count of its dirty ends begins anew (L2). */
export async function liftSession(
  at: AppPlace,
  typed: string | null,
  reason: string | null,
): Promise<LiftOutcome> {
  const { store, row: meant } = await findSession(at, typed);
  const { raw } = store;
  const { id, row } = await currentSession(raw, meant.id);
  for (const one of [meant.id, id]) assertNotJudgedAs(at.env, one, "lift its own suspension");
  const from = liftedFrom(row);
  const body = { reason: reason ?? BY_ORDER };
  if (from === "suspension" || from === "left-turn")
    await raw.append(id, "anyone", [newRecord(raw.clock, "session.lifted", body)]);
  const now = await raw.session(id);
  const state = now && (await summaryOf(store, now)).state;
  return { store, session: id, renewedFrom: id === meant.id ? null : meant.id, from, state };
}

function liftedFrom(row: SessionRow | null): LiftedFrom {
  if (!row) return "not-begun";
  if (typeof row.facts.suspended === "string") return "suspension";
  return typeof row.facts.turn_left === "string" ? "left-turn" : "nothing";
}
