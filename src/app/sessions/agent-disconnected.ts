/**
 * The agent's end of a connection is closed: recorded in its session, so that a recovery can say when it died (S1). An observation: it
 * claims nothing, renews nothing, ends nothing (K1). Where nobody's mark says whose it was, only a session that is the one live session of
 * the workspace gets it: another's death is nobody's guess.
 */

import type { SessionId } from "../../model/ids.ts";
import { describeSession } from "../../session/describe.ts";
import { parseMark } from "../../session/leftovers.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { AppPlace } from "../place/app-place.ts";
import { whyOff } from "../place/off.ts";
import { sessionsHere, workspaceHere } from "../place/workspace-here.ts";

export interface ClosedConnection {
  readonly channel: "mcp";
  /** `end-of-input`, or the signal that ended our end. */
  readonly how: string;
  /** What the other end called itself. */
  readonly client: string | null;
}

/** Null: nobody's session it could be. */
export async function agentDisconnected(at: AppPlace, about: ClosedConnection): Promise<SessionId | null> {
  if ((await whyOff(at)) !== null) return null;
  const store = await at.findStore();
  if (!store) return null;
  const mark = at.env.REFLOAT_SESSION ? parseMark(at.env.REFLOAT_SESSION) : null;
  const row = mark
    ? await store.raw.session(mark.session as SessionId)
    : await onlyLive(store.raw, await sessionsHere(store, await workspaceHere(at, store)));
  if (!row) return null;
  const body = { ...about, attempt: mark?.attempt ?? null };
  await store.raw.append(row.id, "anyone", [newRecord(store.raw.clock, "agent.disconnected", body)]);
  return row.id;
}

async function onlyLive(store: Store, rows: readonly SessionRow[]): Promise<SessionRow | null> {
  const live: SessionRow[] = [];
  for (const row of rows) if ((await describeSession(store, row)).state === "live") live.push(row);
  const [only = null, ...others] = live;
  return others.length === 0 ? only : null;
}
