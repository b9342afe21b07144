/** That a worker is there, idle ones too: a claim of its own whose heartbeat goes with those of its sessions, in the same statement. */
import { createHash } from "node:crypto";
import { type SessionId, WORKER_PREFIX } from "../model/ids.ts";
import type { Owner } from "../model/owner.ts";
import { giveBack, Held, keepAlive, takeClaim } from "../session/claims.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";

/** Workers of one machine that are told apart; more work just as well, unseen. */
const MAX_PER_HOST = 64;

export interface Presence {
  leave(): Promise<void>;
}

/** Each machine has so many places, and a worker takes the first that is free: there are as many rows as there ever were workers at once. */
export async function appear(store: Store, name: string, owner: Owner): Promise<Presence> {
  for (let n = 0; n < MAX_PER_HOST; n++) {
    const session = placeOf(owner.host, n);
    const attempt = await taken(store, session, name, owner);
    if (attempt === null) continue;
    const beat = keepAlive(store, session, attempt, () => undefined);
    return {
      leave: async () => {
        beat.stop();
        await giveBack(store, { session, attempt, owner });
      },
    };
  }
  return { leave: async () => undefined };
}

function placeOf(host: string, n: number): SessionId {
  const key = createHash("sha256")
    .update(JSON.stringify([host, n]))
    .digest("hex")
    .slice(0, 24);
  return `${WORKER_PREFIX}${key}` as SessionId;
}

async function taken(store: Store, session: SessionId, name: string, owner: Owner): Promise<number | null> {
  const began = { agent: "refloat worker", workspace: "", goal: null, name };
  try {
    const records = (): ReturnType<typeof newRecord>[] => [newRecord(store.clock, "session.began", began)];
    return (await takeClaim(store, { session, owner, records })).attempt;
  } catch (thrown) {
    if (thrown instanceof Held) return null;
    throw thrown;
  }
}
