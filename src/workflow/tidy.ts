/** What can be set right without asking: it follows from the rest of the document. Pure; the same document when all is well. */
import type { JsonObject } from "../model/json.ts";
import { holdersIn } from "./holders.ts";
import { allowedCurrentSteps } from "./rules-steps.ts";
import {
  isFinished,
  listOf,
  objectOf,
  own,
  stamp,
  stepsIn,
  textOf,
  timeOf,
  withFields,
  withStep,
} from "./state-doc.ts";
import type { WorkflowShape } from "./step-list.ts";
import { FREE_LOCK } from "./template.ts";

export function tidied(doc: JsonObject, shape: WorkflowShape, nowMs: number): JsonObject {
  const dated = withUpdated(withLock(doc), nowMs);
  return withCurrentStep(withFreedClaims(withoutLeftSubSteps(dated, shape), shape, nowMs), shape);
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

/** Stale owners go, as the original's sweep does it, with a line in the event log; the lock follows the claims. */
function withFreedClaims(doc: JsonObject, shape: WorkflowShape, nowMs: number): JsonObject {
  if (own(doc, "schema_version") !== "2.0") return doc;
  const stale = holdersIn(doc, shape, nowMs).filter(({ isStale, step }) => isStale && step !== null);
  let next = doc;
  for (const { step, owner, heartbeatMs } of stale) {
    const view = stepsIn(next, shape).find(({ spec }) => spec.id === step);
    if (!view) continue;
    const claim = objectOf(own(view.body, "claim"));
    const event: JsonObject = {
      type: "stale_sweep",
      owner_id: owner,
      age_ms: heartbeatMs === null ? null : nowMs - heartbeatMs,
      timestamp: stamp(nowMs),
    };
    const freed = withFields(claim, {
      owner_id: null,
      heartbeat: null,
      attempt_token: null,
      event_log: [...listOf(own(claim, "event_log")), event],
    });
    next = withStep(next, view.key, withFields(view.body, { claim: freed }));
  }
  return withLockOf(next, shape, nowMs);
}

/** The lock shows the newest claim there is, and nobody when there is none. A free lock stays as it is spelled. */
export function withLockOf(doc: JsonObject, shape: WorkflowShape, nowMs: number): JsonObject {
  const holders = holdersIn(doc, shape, nowMs);
  const lock = holders.find(({ step }) => step === null);
  const claims = holders.filter(({ step }) => step !== null);
  const newest = claims.toSorted((a, b) => (b.heartbeatMs ?? 0) - (a.heartbeatMs ?? 0))[0];
  if (!newest)
    return lock ? withFields(doc, { lock: withFields(objectOf(own(doc, "lock")), FREE_LOCK) }) : doc;
  const isShown = lock && claims.some(({ owner, token }) => owner === lock.owner && token === lock.token);
  if (isShown) return doc;
  const at = stamp(newest.heartbeatMs ?? nowMs);
  const shown = { owner_id: newest.owner, heartbeat: at, attempt_token: newest.token, acquired: at };
  return withFields(doc, { lock: withFields(objectOf(own(doc, "lock")), shown) });
}

export function withCurrentStep(doc: JsonObject, shape: WorkflowShape): JsonObject {
  const allowed = allowedCurrentSteps({ steps: stepsIn(doc, shape) });
  const said = own(doc, "current_step");
  const isRight = typeof said === "number" && allowed.includes(Math.floor(said));
  return isRight ? doc : withFields(doc, { current_step: allowed[0] ?? 0 });
}
