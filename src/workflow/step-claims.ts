/**
 * A step's claim as the file shows it (2.0): a mirror of the store's, which is the truth (K1, K5). Pure.
 * `attempt_token` is a UUID that begins with the attempt: tokens of one step only ever grow, and can be compared.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { type FileHolder, holdersIn } from "./holders.ts";
import { listOf, objectOf, own, stamp, stepsIn, withFields, withStep } from "./state-doc.ts";
import type { WorkflowShape } from "./step-list.ts";
import { FREE_LOCK } from "./template.ts";
import { withLockOf } from "./tidy.ts";

/** `random`: 32 hexadecimal digits. Version 8: a UUID whose bits mean what its maker says. */
export function tokenFor(attempt: number, random: string): string {
  const head = attempt.toString(16).padStart(8, "0").slice(-8);
  return `${head}-${random.slice(0, 4)}-8${random.slice(4, 7)}-8${random.slice(7, 10)}-${random.slice(10, 22)}`;
}

/** Whether a token was made for this attempt. */
export const isTokenOf = (token: string, attempt: number): boolean =>
  token.startsWith(tokenFor(attempt, "").slice(0, 9));

/** Whose claim is meant. */
export interface ClaimPlace {
  readonly doc: JsonObject;
  readonly shape: WorkflowShape;
  readonly step: string;
}

export interface ClaimMirror {
  readonly owner: string;
  readonly token: string;
  readonly nowMs: number;
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
            timestamp: at,
          },
        ]
      : [];
    // Work that was begun and is begun anew, whoever does it.
    const isRetry = own(body, "status") === "in_progress";
    const count = own(claim, "retry_count");
    return withFields(claim, {
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

export const withoutClaim = (place: ClaimPlace, outcome: string, nowMs: number): JsonObject =>
  mapClaim(place, (claim) => freed(claim, { type: "release", outcome, timestamp: stamp(nowMs) }));

/** Taken from its owner by order (K4): from whom and why stays in the event log. */
export const withBrokenClaim = (place: ClaimPlace, reason: string, nowMs: number): JsonObject =>
  mapClaim(place, (claim) =>
    freed(claim, {
      type: "takeover",
      previous_owner: own(claim, "owner_id") ?? null,
      reason,
      timestamp: stamp(nowMs),
    }),
  );

const freed = (claim: JsonObject, event: JsonObject): JsonObject =>
  withFields(claim, {
    owner_id: null,
    heartbeat: null,
    attempt_token: null,
    event_log: [...listOf(own(claim, "event_log")), event],
  });

function mapClaim(
  { doc, shape, step }: ClaimPlace,
  change: (claim: JsonObject, body: JsonObject) => JsonObject,
): JsonObject {
  const view = stepsIn(doc, shape).find(({ spec }) => spec.id === step);
  // 3.0 has no claims: the store's is all there is.
  if (!view?.isThere || own(doc, "schema_version") !== "2.0") return doc;
  const claim = change(objectOf(own(view.body, "claim")), view.body);
  const next = withStep(doc, view.key, withFields(view.body, { claim }));
  return withNewestLock(next, shape, claim);
}

/** The lock is the claim's that was touched last; given back, it is another's or nobody's. */
function withNewestLock(doc: JsonObject, shape: WorkflowShape, claim: JsonObject): JsonObject {
  const lock = objectOf(own(doc, "lock"));
  const owner = own(claim, "owner_id");
  const heartbeat = own(claim, "heartbeat");
  const token = own(claim, "attempt_token");
  if (typeof owner !== "string") {
    const free = withFields(doc, { lock: withFields(lock, FREE_LOCK) });
    return withLockOf(free, shape, 0);
  }
  const isSame = own(lock, "attempt_token") === token;
  const acquired = isSame ? (own(lock, "acquired") ?? heartbeat) : heartbeat;
  return withFields(doc, {
    lock: withFields(lock, { owner_id: owner, heartbeat, attempt_token: token, acquired }),
  });
}

/**
 * Somebody the store does not know, at work by the file's word: honoured as long as the heartbeat is fresh (K3).
 * `known` are the store's owners by step; the lock of a known owner is known.
 */
export function foreignHolder(
  { doc, shape, step }: ClaimPlace,
  known: ReadonlySet<string>,
  nowMs: number,
): FileHolder | null {
  const fresh = holdersIn(doc, shape, nowMs).filter(({ isStale, owner }) => !isStale && !known.has(owner));
  return fresh.find((holder) => holder.step === null || holder.step === step) ?? null;
}
