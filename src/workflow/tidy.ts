/** What can be set right without asking: it follows from the rest of the document. Pure; the same document when all is well. */
import type { JsonObject } from "../model/json.ts";
import { holdersIn, type StoreClaims, sessionPauseMs } from "./holders.ts";
import { allowedCurrentSteps } from "./rules-steps.ts";
import { isFinished, own, stamp, stepsIn, textOf, timeOf, withFields, withStep } from "./state-doc.ts";
import { claimsNotShown, withLockOf, withMirror, withSweptClaim } from "./step-claims.ts";
import type { WorkflowShape } from "./step-list.ts";
import { FREE_LOCK, freeClaim } from "./template.ts";

export function tidied(
  doc: JsonObject,
  shape: WorkflowShape,
  nowMs: number,
  claims: StoreClaims = null,
): JsonObject {
  const dated = withUpdated(withClaims(withLock(doc), shape), nowMs);
  return withCurrentStep(withRightClaims(withoutLeftSubSteps(dated, shape), shape, nowMs, claims), shape);
}

/** 2.0 has a lock, if only a free one. */
function withLock(doc: JsonObject): JsonObject {
  const hasNone = own(doc, "schema_version") === "2.0" && own(doc, "lock") === undefined;
  return hasNone ? withFields(doc, { lock: { ...FREE_LOCK } }) : doc;
}

/** When it was changed last is now, where it says nothing that is a date. The template's empty one is well. */
function withUpdated(doc: JsonObject, nowMs: number): JsonObject {
  const updated = own(doc, "updated");
  const isWell = updated === "" || timeOf(updated) !== null;
  return isWell ? doc : withFields(doc, { updated: stamp(nowMs) });
}

function withoutLeftSubSteps(doc: JsonObject, shape: WorkflowShape): JsonObject {
  return stepsIn(doc, shape).reduce(
    (next, { key, body, status }) =>
      isFinished(status) && textOf(own(body, "sub_step")) !== null
        ? withStep(next, key, withFields(body, { sub_step: null }))
        : next,
    doc,
  );
}

/**
 * Owners that are gone go, with a line in the event log; nobody who is at work ever does (K2). A claim that the store holds
 * and the file does not show is written down again; the lock follows the claims, unless a stranger is at work by it.
 */
function withRightClaims(
  doc: JsonObject,
  shape: WorkflowShape,
  nowMs: number,
  claims: StoreClaims,
): JsonObject {
  if (own(doc, "schema_version") !== "2.0") return doc;
  const holders = holdersIn(doc, shape, nowMs, claims);
  const lock = holders.find(({ step }) => step === null);
  const keepsLock = lock?.word === "file" && !lock.isStale;
  let next = doc;
  for (const { step, isStale, heartbeatMs } of holders) {
    if (step === null || !isStale) continue;
    const ageMs = heartbeatMs === null ? null : nowMs - heartbeatMs;
    next = withSweptClaim({ doc: next, shape, step, keepsLock }, ageMs, nowMs);
  }
  for (const { step, owner, claim } of claimsNotShown(doc, shape, holders, claims)) {
    const { token } = claim;
    if (token === null) continue;
    const everyMs = claim.isSession ? sessionPauseMs(doc) : null;
    next = withMirror({ doc: next, shape, step, keepsLock }, { owner, token, nowMs, everyMs });
  }
  return keepsLock ? next : withLockOf(next, shape);
}

/** 2.0 has a claim in every step, if only a free one. */
function withClaims(doc: JsonObject, shape: WorkflowShape): JsonObject {
  if (own(doc, "schema_version") !== "2.0") return doc;
  return stepsIn(doc, shape).reduce(
    (next, { key, body, isThere }) =>
      isThere && own(body, "claim") === undefined
        ? withStep(next, key, withFields(body, { claim: freeClaim() }))
        : next,
    doc,
  );
}

export function withCurrentStep(doc: JsonObject, shape: WorkflowShape): JsonObject {
  const allowed = allowedCurrentSteps({ steps: stepsIn(doc, shape) });
  const said = own(doc, "current_step");
  const isRight = typeof said === "number" && allowed.includes(Math.floor(said));
  return isRight ? doc : withFields(doc, { current_step: allowed[0] ?? 0 });
}
