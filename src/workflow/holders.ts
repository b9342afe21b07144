/**
 * Who a state file says is at work: its `lock` and the `claim` of each step. Null, {} and all-null mean free.
 * Whether a holder still counts is one rule for the claim, the sweep and the validator (K3).
 */
import type { JsonObject } from "../model/json.ts";
import { isHeartbeatStale } from "../session/heartbeat.ts";
import { DEFAULT_STALE_THRESHOLD_MS } from "./definition.ts";
import { objectOf, own, stepsIn, textOf, timeOf } from "./state-doc.ts";
import type { WorkflowShape } from "./step-list.ts";

export interface FileHolder {
  /** Null: the lock of the whole file. */
  readonly step: string | null;
  /** As the file spells the step. */
  readonly place: readonly string[];
  readonly owner: string;
  readonly token: string | null;
  readonly heartbeatMs: number | null;
  readonly isStale: boolean;
}

export function thresholdOf(doc: unknown): number {
  const value = own(doc, "stale_threshold_ms");
  return typeof value === "number" && value > 0 ? value : DEFAULT_STALE_THRESHOLD_MS;
}

export function holdersIn(doc: JsonObject, shape: WorkflowShape, nowMs: number): readonly FileHolder[] {
  const thresholdMs = thresholdOf(doc);
  const holder = (step: string | null, place: readonly string[], value: unknown): FileHolder[] => {
    const held = objectOf(value);
    const owner = textOf(own(held, "owner_id"));
    if (owner === null || owner === "") return [];
    const heartbeatMs = timeOf(own(held, "heartbeat"));
    const isStale = isHeartbeatStale(nowMs, heartbeatMs, thresholdMs);
    return [{ step, place, owner, token: textOf(own(held, "attempt_token")), heartbeatMs, isStale }];
  };
  return [
    ...holder(null, ["lock"], own(doc, "lock")),
    ...stepsIn(doc, shape).flatMap(({ spec, key, body }) =>
      holder(spec.id, ["steps", key, "claim"], own(body, "claim")),
    ),
  ];
}
