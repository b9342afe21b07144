/**
 * Whose a step's claim is (K5): the session's in REFLOAT_SESSION, else that of an owner by name. Behind a name stands
 * no process: it is judged by its heartbeat alone (K3). A session's claim is as alive as the session is: its
 * supervisor's heartbeat, by timer, speaks for it, however long a sub-step takes.
 */
import type { SessionId } from "../model/ids.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import { livenessOf } from "../platform/liveness.ts";
import { decideClaim } from "../session/decide-claim.ts";
import { livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";

/** In the place of a machine: no machine has these names, so nobody takes such an owner for a process (K2). */
const NAMED = "owner-by-name";
const SESSION = "owner-session";
/** Who works by hand and says no name. */
const DEFAULT_OWNER = "manual";

const MARK = /^(.+)\.(\d{1,9})\.[^.]+$/;

export function claimOwner(mark: string | undefined, named: string | null): Owner {
  if (named !== null) return ownerOf(NAMED, named);
  if (mark === undefined || mark === "") return ownerOf(NAMED, DEFAULT_OWNER);
  const [, session, attempt] = MARK.exec(mark) ?? [];
  return session === undefined ? ownerOf(NAMED, mark) : ownerOf(SESSION, `${session}.${attempt}`);
}

const ownerOf = (host: string, instance: string): Owner => ({
  host,
  boot: "none",
  pid_namespace: "none",
  pid: 0,
  started: null,
  instance,
  label: instance,
});

/** No process: a name, or a session. */
export const isByWord = ({ host }: Owner): boolean => host === NAMED || host === SESSION;

/** What can be said of the owner of a step's claim. A session nobody knows is judged by the claim's own heartbeat. */
export async function livenessOfClaimOwner(store: Store, owner: Owner): Promise<Liveness> {
  if (owner.host !== SESSION) return livenessOf(owner);
  const [, session = "", attempt = ""] = /^(.+)\.(\d+)$/.exec(owner.instance) ?? [];
  const row = await store.session(session as SessionId);
  if (!row) return { kind: "elsewhere", host: owner.host };
  const { claim } = row;
  const isSame = claim.owner !== null && claim.attempt === Number(attempt);
  const { liveness } = livenessOfHolder(row);
  const decision = isSame ? decideClaim(claim, liveness, store.clock.nowMs()) : null;
  return decision?.kind === "held" ? { kind: "alive" } : { kind: "dead", because: "no-such-process" };
}
