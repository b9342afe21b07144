/** A session that nobody supervised, begun when it is first heard of (S1, `supervised: false`). Its claim is the agent's own process. */
import type { SessionId } from "../../model/ids.ts";
import { DEFAULT_CLAIM_THRESHOLD_MS } from "../../model/limits.ts";
import type { Owner } from "../../model/owner.ts";
import { newRecord } from "../../session/new-record.ts";
import type { Store } from "../../store/store.ts";

export interface HeardBeginning {
  readonly session: SessionId;
  readonly agent: string;
  readonly nativeId: string;
  /** The workspace's top. */
  readonly root: string;
  /** Where that was when the agent was started, if it was moved since; null or left out: where it is. */
  readonly movedFrom?: string | null;
  readonly owner: Owner;
  /** When it was last heard of, for people. */
  readonly atMs: number;
  /** Only its transcript tells of it: the claim has the time of the reading, by which the agent\'s own times are told from ours. */
  readonly isRead?: boolean;
}

/** The attempt to write under; of two that begin it at once the second has the first one's. Null: it is gone again. */
export async function beginHeard(store: Store, begin: HeardBeginning): Promise<number | null> {
  const { session, agent, nativeId, root, movedFrom = null, owner, atMs, isRead = false } = begin;
  const { clock } = store;
  const began = {
    ...{ agent, workspace: root, goal: null, name: null },
    ...{ supervised: false, heard: nativeId },
    ...(movedFrom === null ? {} : { moved_from: movedFrom }),
  };
  const beganMs = Math.min(atMs, clock.nowMs());
  const claim = { attempt: 1, owner, why: "new", from: null, reason: null } as const;
  const outcome = await store.take({
    ...{ session, seen: null, owner, nowMs: clock.nowMs(), thresholdMs: DEFAULT_CLAIM_THRESHOLD_MS },
    records: [
      { ...newRecord(clock, "session.began", began), atMs: beganMs },
      { ...newRecord(clock, "claim.taken", claim), ...(isRead ? {} : { atMs: beganMs }) },
    ],
  });
  return outcome.kind === "done" ? outcome.attempt : ((await store.session(session))?.claim.attempt ?? null);
}
