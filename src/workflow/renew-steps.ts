/** What is written of the steps that a session holds: the heartbeats that are due, in every file that has one of them (K2, K5). */
import { existsSync } from "node:fs";
import { ensureError } from "../model/errors.ts";
import { WORKFLOW_PREFIX } from "../model/ids.ts";
import type { JsonObject } from "../model/json.ts";
import { BEATS_PER_THRESHOLD } from "../model/limits.ts";
import { isSameProcess, type Owner } from "../model/owner.ts";
import { stepOfSession } from "../model/workflow-ids.ts";
import { selfOwner } from "../platform/identity.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { changeState, type OpenedState, usableDoc } from "./change-state.ts";
import { identityOf } from "./claim-ids.ts";
import { isSameOwner, sessionOf, standingOfOwner } from "./claim-owner.ts";
import { type FileHolder, holdersIn, thresholdOf } from "./holders.ts";
import { createLenientShapes, docWithClaims } from "./read-doc.ts";
import { textOf } from "./state-doc.ts";
import { withHeartbeat } from "./step-claims.ts";
import type { WorkflowShape } from "./step-list.ts";
import { storeClaimsOf } from "./store-claims.ts";

/** `onLost`: a step that the file says is somebody else's now; `onTrouble`: what kept a heartbeat from being written. */
export interface KeeperEars {
  readonly onLost?: (lost: LostStep) => void;
  readonly onTrouble?: (error: Error) => void;
}

export interface LostStep {
  readonly file: string;
  readonly step: string;
  /** Who has it by the file's word. */
  readonly by: string;
}

/**
 * One look: writes the heartbeats that are due, in every file of which this owner holds a step. A file that cannot be
 * worked on keeps no other from its own (K2): `onTrouble` hears of each.
 */
export async function renewSteps(
  store: Store,
  owner: Owner,
  onTrouble: KeeperEars["onTrouble"] = undefined,
): Promise<readonly LostStep[]> {
  const rows = await store.sessions({ prefix: WORKFLOW_PREFIX });
  const held = rows.filter(({ claim }) => claim.owner !== null && isSameOwner(claim.owner, owner));
  if (held.length === 0 || (await standingOfOwner(store, owner)).isHeld === false) return [];
  const lost: LostStep[] = [];
  for (const file of new Set(held.map(({ facts }) => textOf(facts.workspace)))) {
    if (file === null || !existsSync(file)) continue;
    const ofFile = held.filter(({ facts }) => facts.workspace === file);
    try {
      lost.push(...(await renewIn(store, file, ofFile)));
    } catch (thrown) {
      onTrouble?.(ensureError(thrown));
    }
  }
  return lost;
}

/** The same for every session whose owner is this process. */
export async function renewOwnSteps(
  store: Store,
  onTrouble: KeeperEars["onTrouble"] = undefined,
): Promise<void> {
  const self = selfOwner("steps");
  const rows = await store.sessions({ prefix: WORKFLOW_PREFIX });
  const owners = new Map(
    rows.flatMap(({ claim: { owner } }) => (owner ? [[`${owner.host} ${owner.instance}`, owner]] : [])),
  );
  for (const owner of owners.values()) {
    const of = sessionOf(owner);
    const holder = of ? (await store.session(of.session))?.claim.owner : null;
    if (holder && isSameProcess(holder, self)) await renewSteps(store, owner, onTrouble);
  }
}

async function renewIn(
  store: Store,
  file: string,
  rows: readonly SessionRow[],
): Promise<readonly LostStep[]> {
  const doc = docWithClaims(file);
  if (!doc) return [];
  const shape = createLenientShapes()(file);
  const { due, lost } = await beatsIn(store, { file, doc, shape, rows });
  if (due.length === 0) return lost;
  // Only what is due costs the file's claim; it is looked at again under it.
  return changeState(store, file, async (opened) => {
    const now = usableDoc(opened);
    const seen = await beatsIn(store, { file, doc: now, shape: opened.shape, rows });
    for (const { id, claim } of rows)
      if (seen.due.some(({ step }) => step === stepOfSession(id))) await store.renew(id, claim.attempt);
    return {
      doc: seen.due.length === 0 ? null : beaten(opened, now, seen),
      what: "heartbeat",
      isBeat: true,
      result: seen.lost,
    };
  });
}

interface Beats {
  readonly holders: readonly FileHolder[];
  readonly due: readonly FileHolder[];
  readonly lost: readonly LostStep[];
}

interface LookedAt {
  readonly file: string;
  readonly doc: JsonObject;
  readonly shape: WorkflowShape;
  /** Of the steps that are held. */
  readonly rows: readonly SessionRow[];
}

async function beatsIn(store: Store, { file, doc, shape, rows }: LookedAt): Promise<Beats> {
  const nowMs = store.clock.nowMs();
  const claims = await storeClaimsOf(store, identityOf(file).session);
  const holders = holdersIn(doc, shape, nowMs, claims);
  const steps = new Set(rows.map(({ id }) => stepOfSession(id)));
  const shown = holders.filter(({ step }) => step !== null && steps.has(step));
  return {
    holders,
    due: shown.filter((holder) => holder.word === "store" && isDue(holder, doc, nowMs)),
    lost: shown
      .filter(({ word }) => word === "file")
      .map(({ step, owner }) => ({ file, step: step ?? "", by: owner })),
  };
}

const isDue = ({ heartbeatMs }: FileHolder, doc: JsonObject, nowMs: number): boolean =>
  heartbeatMs === null || Math.abs(nowMs - heartbeatMs) >= thresholdOf(doc) / BEATS_PER_THRESHOLD;

function beaten({ shape, nowMs }: OpenedState, doc: JsonObject, { due, holders }: Beats): JsonObject {
  const lock = holders.find(({ step }) => step === null);
  return due.reduce((next, { step, token }) => {
    const place = { doc: next, shape, step: step ?? "", keepsLock: lock?.token !== token };
    return withHeartbeat(place, nowMs);
  }, doc);
}
