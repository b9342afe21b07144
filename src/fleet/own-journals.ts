/** Journals of refloat's own that a fleet shares: what everybody may add to, and what one process at a time may hold. */
import { createHash } from "node:crypto";
import { RESUMING_PREFIX, type SessionId } from "../model/ids.ts";
import type { Owner } from "../model/owner.ts";
import { selfOwner } from "../platform/identity.ts";
import { giveBack, Held, keepAlive, takeClaim } from "../session/claims.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";

/** A session comes into being by its first claim, which nobody needs afterwards: everybody may add (K1 has nothing to fence there). */
export async function ensureJournal(store: Store, session: SessionId, name: string): Promise<void> {
  if (await store.session(session)) return;
  const { clock } = store;
  const owner = selfOwner("refloat");
  const claim = { attempt: 1, owner, why: "new", from: null, reason: null } as const;
  const outcome = await store.take({
    ...{ session, seen: null, owner, nowMs: clock.nowMs(), thresholdMs: 0 },
    records: [newRecord(clock, "session.began", { ...BEGAN, name }), newRecord(clock, "claim.taken", claim)],
  });
  // Refused: another process was faster, and that one is as good.
  if (outcome.kind === "done")
    await store.release(session, 1, [newRecord(clock, "claim.released", { attempt: 1 })]);
}

const BEGAN = { agent: "refloat", workspace: "", goal: null };

export interface Reservation {
  release(): Promise<void>;
}

/**
 * The right to bring a dead session's work to this machine and go on with it: two that do so at once would both make a tree of it, and one for
 * nothing. Held like any claim, so a worker that dies in it is found out; the session's own claim is the fence (K1). Null: another is at it.
 */
export async function reserve(store: Store, session: string, owner: Owner): Promise<Reservation | null> {
  const key = createHash("sha256").update(session).digest("hex").slice(0, 24);
  const id = `${RESUMING_PREFIX}${key}` as SessionId;
  const began = { ...BEGAN, name: null };
  try {
    const { attempt } = await takeClaim(store, {
      ...{ session: id, owner },
      records: ({ row }) => (row ? [] : [newRecord(store.clock, "session.began", began)]),
    });
    const beat = keepAlive(store, id, attempt, () => undefined);
    return {
      release: async () => {
        beat.stop();
        await giveBack(store, { session: id, attempt, owner });
      },
    };
  } catch (thrown) {
    if (thrown instanceof Held) return null;
    throw thrown;
  }
}
