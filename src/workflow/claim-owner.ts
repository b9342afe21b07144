/**
 * Whose a step's claim is (K5): the session's in REFLOAT_SESSION, else that of an owner by name. Behind a name stands
 * no process: it is judged by its heartbeat alone (K3). A session's claim is as alive as the session is: its
 * supervisor's heartbeat, by timer, speaks for it, however long a sub-step takes. Who is only in the file was written
 * there by another store or another tool, and is judged by the file's heartbeat.
 */
import type { SessionId } from "../model/ids.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import { livenessOf } from "../platform/liveness.ts";
import { decideClaim } from "../session/decide-claim.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";
import { shellWord } from "../text/escape.ts";

/** In the place of a machine: no machine has these names, so nobody takes such an owner for a process (K2). */
const NAMED = "owner-by-name";
const SESSION = "owner-session";
const IN_FILE = "owner-in-file";
/** Who works by hand and says no name. */
const DEFAULT_OWNER = "manual";

const MARK = /^(.+)\.(\d{1,9})\.[^.]+$/;

export function claimOwner(mark: string | undefined, named: string | null): Owner {
  if (named !== null) return ownerOf(NAMED, named);
  if (mark === undefined || mark === "") return ownerOf(NAMED, DEFAULT_OWNER);
  const [, session, attempt] = MARK.exec(mark) ?? [];
  return session === undefined ? ownerOf(NAMED, mark) : sessionOwner(session, Number(attempt));
}

export const sessionOwner = (session: string, attempt: number): Owner =>
  ownerOf(SESSION, `${session}.${attempt}`);

/** Somebody of whom this store knows only what the state file says. */
export const fileOwner = (name: string): Owner => ownerOf(IN_FILE, name);

const ownerOf = (host: string, instance: string): Owner => ({
  host,
  boot: "none",
  pid_namespace: "none",
  pid: 0,
  started: null,
  instance,
  label: instance,
});

/** No process: a name, a session, or a name in a file. */
export const isByWord = ({ host }: Owner): boolean => host === NAMED || host === SESSION || host === IN_FILE;
export const isOfFile = ({ host }: Owner): boolean => host === IN_FILE;
export const isSameOwner = (a: Owner, b: Owner): boolean => a.host === b.host && a.instance === b.instance;

/** `--owner` as a command needs it to mean the same; none for a session and for who said no name. */
export const ownerOption = ({ host, instance }: Owner): string =>
  host === NAMED && instance !== DEFAULT_OWNER ? ` --owner ${shellWord(instance)}` : "";

/** The session whose claim it is; null: no session's. */
export function sessionOf(owner: Owner): { readonly session: SessionId; readonly attempt: number } | null {
  const [, session, attempt] = /^(.+)\.(\d+)$/.exec(owner.instance) ?? [];
  if (owner.host !== SESSION || session === undefined) return null;
  return { session: session as SessionId, attempt: Number(attempt) };
}

export interface OwnerStanding {
  /** What can be proved of them; of a session: of its own owner. */
  readonly liveness: Liveness;
  /** Whether they still have what they claimed; null: the claim's own heartbeat tells. */
  readonly isHeld: boolean | null;
}

const OVER: OwnerStanding = { liveness: { kind: "dead", because: "no-such-process" }, isHeld: false };

/** A session nobody knows is judged by the claim's own heartbeat. */
export async function standingOfOwner(store: Store, owner: Owner): Promise<OwnerStanding> {
  const of = sessionOf(owner);
  const row = of && (await store.session(of.session));
  if (!row) return { liveness: livenessOf(owner), isHeld: null };
  const { claim } = row;
  if (claim.owner === null || claim.attempt !== of?.attempt) return OVER;
  const { liveness } = livenessOfHolder(row);
  const isHeld = decideClaim(claim, liveness, store.clock.nowMs()).kind === "held";
  return isHeld && liveness ? { liveness, isHeld } : OVER;
}

export interface ClaimStanding {
  readonly liveness: Liveness | null;
  /** False: the next one may take it at once. */
  readonly isHeld: boolean;
  /** An agent that outlived its supervisor holds it (K2). */
  readonly isAgentAlone: boolean;
}

/** Whether a claim of the store is held, and what is known of its owner: one answer for whoever asks (K2, K3). */
export async function standingOfClaim(store: Store, row: SessionRow): Promise<ClaimStanding> {
  const { claim } = row;
  if (!claim.owner) return { liveness: null, isHeld: false, isAgentAlone: false };
  if (!isByWord(claim.owner)) {
    const { liveness, isAgentAlone } = livenessOfHolder(row);
    return {
      liveness,
      isHeld: decideClaim(claim, liveness, store.clock.nowMs()).kind === "held",
      isAgentAlone,
    };
  }
  const { liveness, isHeld } = await standingOfOwner(store, claim.owner);
  return {
    liveness,
    isHeld: isHeld ?? decideClaim(claim, liveness, store.clock.nowMs()).kind === "held",
    isAgentAlone: false,
  };
}

/** The same as the taking of a claim asks it: who has it is alive to it, who is over is dead. */
export async function livenessForTaking(store: Store, owner: Owner): Promise<Liveness> {
  const { liveness, isHeld } = await standingOfOwner(store, owner);
  if (isHeld === null) return liveness;
  return isHeld ? { kind: "alive" } : OVER.liveness;
}
