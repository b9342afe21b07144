/**
 * How long what old sessions held is kept (`store gc --older`): of sessions that ended before, and left nothing unsettled, captures and
 * transcripts go; what was said and done in them stays, and a record says that and why (D2). Parked work and plans lie in journals of
 * our own, which are left alone, or in the session that was sent here with them, which is left alone until they are brought back. It goes in parts: nobody waits for more than one of them.
 */
import { holdsParked } from "../../acts/plans/parked-along.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { type ForgetResult, forget } from "../../store/forget.ts";
import { usersSessions } from "../../workflow/own-journal.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";

export type RetentionResult = Pick<ForgetResult, "sessions" | "records" | "contents" | "bytes">;

export interface OldSessions {
  readonly ids: readonly string[];
  /** Old enough, and left alone: unsettled, parked in part, or somebody holds them. */
  readonly kept: number;
}

/** Those whose time is over. Reads only. */
export async function oldSessions(store: RefloatStore, beforeMs: number): Promise<OldSessions> {
  const rows = usersSessions(await store.raw.sessions()).filter(
    ({ facts }) => typeof facts.ended_at_ms === "number" && facts.ended_at_ms < beforeMs,
  );
  // Those that hold nothing any more cost no further look.
  const holding = rows.filter(({ facts }) => facts.capture != null || facts.heard !== undefined);
  const free = holding.filter(({ claim }) => claim.owner === null);
  const notParked: SessionRow[] = [];
  for (const row of free) if (!(await holdsParked(store.raw, row))) notParked.push(row);
  const over = (await store.describe(notParked)).filter(
    ({ state, unsettled }) => state === "finished" && !unsettled,
  );
  return { ids: over.map(({ id }) => id), kept: holding.length - over.length };
}

/** T2: no session's process drops what speaks of it. */
export async function dropOld(
  { env }: AppPlace,
  store: RefloatStore,
  { ids }: OldSessions,
  reason: string,
): Promise<RetentionResult> {
  await assertNotJudged(env, store.raw, "drop what old sessions held");
  const total = { sessions: 0, records: 0, contents: 0, bytes: 0 };
  for (const heldBy of ids) {
    const done = await forget(store.raw, { heldBy, reason });
    total.sessions += done.sessions;
    total.records += done.records;
    total.contents += done.contents;
    total.bytes += done.bytes;
  }
  return total;
}
