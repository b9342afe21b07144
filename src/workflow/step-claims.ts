/**
 * A step's claim as the file shows it (2.0): a mirror of the store's, which is the truth (K1, K5), and the only word of it
 * that another store ever reads. So every event that ends a claim says which one: whoever finds his own there knows
 * that it is over, whatever his store says. Pure.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { claimIdOf } from "./claim-token.ts";
import { HEARTBEAT_EVERY } from "./definition.ts";
import { type FileHolder, holdersIn, type StoreClaim, type StoreClaims } from "./holders.ts";
import {
  listOf,
  objectOf,
  own,
  stamp,
  stepsIn,
  textOf,
  withFields,
  withoutKeys,
  withStep,
} from "./state-doc.ts";
import type { WorkflowShape } from "./step-list.ts";
import { FREE_LOCK } from "./template.ts";

/** Whose claim is meant. */
export interface ClaimPlace {
  readonly doc: JsonObject;
  readonly shape: WorkflowShape;
  readonly step: string;
  /** Somebody else's, who is at work by it: it is not touched. */
  readonly keepsLock?: boolean;
}

export interface ClaimMirror {
  readonly owner: string;
  readonly token: string;
  readonly nowMs: number;
  /** How often a timer beats for the owner; left out: none does. */
  readonly everyMs?: number | null;
}

/** The claim is this owner's now. `from`: whose it was when it was not given back, and why it was free. */
export function withClaim(
  place: ClaimPlace,
  mirror: ClaimMirror,
  from: { readonly owner: string; readonly why: string } | null,
): JsonObject {
  return mapClaim(place, (claim, body) => {
    const at = stamp(mirror.nowMs);
    const events: Json[] = from
      ? [
          {
            type: "stale_recovery",
            why: from.why,
            previous_owner: from.owner,
            new_owner: mirror.owner,
            ...endedClaim(claim),
            timestamp: at,
          },
        ]
      : [];
    // Work that was begun and is begun anew, whoever does it.
    const isRetry = own(body, "status") === "in_progress";
    const count = own(claim, "retry_count");
    return withFields(withPause(claim, mirror.everyMs), {
      owner_id: mirror.owner,
      heartbeat: at,
      attempt_token: mirror.token,
      retry_count: (typeof count === "number" ? count : 0) + (isRetry ? 1 : 0),
      event_log: [...listOf(own(claim, "event_log")), ...events],
    });
  });
}

export const withHeartbeat = (place: ClaimPlace, nowMs: number): JsonObject =>
  mapClaim(place, (claim) => withFields(claim, { heartbeat: stamp(nowMs) }));

/** By whom the claim is kept is another now: how often he beats. */
export const withBeatsEvery = (place: ClaimPlace, everyMs: number): JsonObject =>
  mapClaim(place, (claim) => withPause(claim, everyMs));

/** A field of those who beat by a timer only: other tools never see it in the claims of owners by name. */
const withPause = (claim: JsonObject, everyMs: number | null = null): JsonObject =>
  everyMs === null
    ? withoutKeys(claim, [HEARTBEAT_EVERY])
    : withFields(claim, { [HEARTBEAT_EVERY]: everyMs });

/** As the store has it and the file does not: written down again, with nothing counted and nothing logged. */
export const withMirror = (place: ClaimPlace, { owner, token, nowMs, everyMs }: ClaimMirror): JsonObject =>
  mapClaim(place, (claim) =>
    withFields(withPause(claim, everyMs), { owner_id: owner, heartbeat: stamp(nowMs), attempt_token: token }),
  );

export const withoutClaim = (place: ClaimPlace, outcome: string, nowMs: number): JsonObject =>
  mapClaim(place, (claim) =>
    freed(claim, { type: "release", outcome, ...endedClaim(claim), timestamp: stamp(nowMs) }),
  );

/** Taken from its owner by order (K4): from whom and why stays in the event log. */
export const withBrokenClaim = (place: ClaimPlace, reason: string, nowMs: number): JsonObject =>
  mapClaim(place, (claim) =>
    freed(claim, {
      type: "takeover",
      previous_owner: own(claim, "owner_id") ?? null,
      reason,
      ...endedClaim(claim),
      timestamp: stamp(nowMs),
    }),
  );

/** As the original's sweep does it. */
export const withSweptClaim = (place: ClaimPlace, ageMs: number | null, nowMs: number): JsonObject =>
  mapClaim(place, (claim) =>
    freed(claim, {
      type: "stale_sweep",
      owner_id: own(claim, "owner_id") ?? null,
      age_ms: ageMs,
      ...endedClaim(claim),
      timestamp: stamp(nowMs),
    }),
  );

const freed = (claim: JsonObject, event: JsonObject): JsonObject =>
  withFields(withPause(claim), {
    owner_id: null,
    heartbeat: null,
    attempt_token: null,
    event_log: [...listOf(own(claim, "event_log")), event],
  });

function endedClaim(claim: JsonObject): JsonObject {
  const token = textOf(own(claim, "attempt_token"));
  return token === null ? {} : { claim_id: claimIdOf(token) };
}

/** The event by which the file says that the claim with this token is over; null: it says nothing of it. */
export function endOf({ doc, shape, step }: ClaimPlace, token: string): JsonObject | null {
  const view = stepsIn(doc, shape).find(({ spec }) => spec.id === step);
  const events = listOf(own(objectOf(own(view?.body, "claim")), "event_log")).map(objectOf);
  return events.findLast((event) => own(event, "claim_id") === claimIdOf(token)) ?? null;
}

export interface NotShown {
  readonly step: string;
  readonly owner: string;
  readonly claim: StoreClaim;
}

/**
 * Claims that the store holds for somebody at work, where the file has neither them, nor a stranger who is, nor the word
 * that they are over.
 */
export function claimsNotShown(
  doc: JsonObject,
  shape: WorkflowShape,
  holders: readonly FileHolder[],
  claims: StoreClaims,
): readonly NotShown[] {
  return [...(claims ?? [])].flatMap(([step, claim]) => {
    const { owner, token, isHeld } = claim;
    const isShown = holders.some((holder) => holder.step === step && !holder.isStale);
    const isOver = token !== null && endOf({ doc, shape, step }, token) !== null;
    return owner === null || !isHeld || isShown || isOver ? [] : [{ step, owner, claim }];
  });
}

function mapClaim(
  { doc, shape, step, keepsLock }: ClaimPlace,
  change: (claim: JsonObject, body: JsonObject) => JsonObject,
): JsonObject {
  const view = stepsIn(doc, shape).find(({ spec }) => spec.id === step);
  // 3.0 has no claims: the store's is all there is.
  if (!view?.isThere || own(doc, "schema_version") !== "2.0") return doc;
  const claim = change(objectOf(own(view.body, "claim")), view.body);
  const next = withStep(doc, view.key, withFields(view.body, { claim }));
  return keepsLock === true ? next : withNewestLock(next, shape, claim);
}

/** The lock is the claim's that was touched last; given back, it is another's or nobody's. */
function withNewestLock(doc: JsonObject, shape: WorkflowShape, claim: JsonObject): JsonObject {
  const lock = objectOf(own(doc, "lock"));
  const owner = own(claim, "owner_id");
  const heartbeat = own(claim, "heartbeat");
  const token = own(claim, "attempt_token");
  if (typeof owner !== "string") {
    return withLockOf(withFreeLock(doc), shape);
  }
  const isSame = own(lock, "attempt_token") === token;
  const acquired = isSame ? (own(lock, "acquired") ?? heartbeat) : heartbeat;
  return withFields(doc, {
    lock: withFields(lock, { owner_id: owner, heartbeat, attempt_token: token, acquired }),
  });
}

export const withFreeLock = (doc: JsonObject): JsonObject =>
  withFields(doc, { lock: withFields(objectOf(own(doc, "lock")), FREE_LOCK) });

/** The lock shows the newest claim there is, and nobody when there is none. A free lock stays as it is spelled. */
export function withLockOf(doc: JsonObject, shape: WorkflowShape): JsonObject {
  const holders = holdersIn(doc, shape, 0);
  const lock = holders.find(({ step }) => step === null);
  const claims = holders.filter(({ step }) => step !== null);
  const newest = claims.toSorted((a, b) => (b.heartbeatMs ?? 0) - (a.heartbeatMs ?? 0))[0];
  if (!newest) return lock ? withFreeLock(doc) : doc;
  const isShown = lock && claims.some(({ owner, token }) => owner === lock.owner && token === lock.token);
  if (isShown) return doc;
  const at = newest.heartbeatMs === null ? null : stamp(newest.heartbeatMs);
  const shown = { owner_id: newest.owner, heartbeat: at, attempt_token: newest.token, acquired: at };
  return withFields(doc, { lock: withFields(objectOf(own(doc, "lock")), shown) });
}
