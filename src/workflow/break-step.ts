/**
 * `claim break` on a step or on a file's lock (K4): the store's claim is ended on record, with one that only the file knew
 * taken in first, and the file's is free, with from whom and why in its event log. One change of the file: a kill in
 * between leaves a claim there that the store knows to be over.
 */
import { existsSync } from "node:fs";
import type { JsonObject } from "../model/json.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import { LOCK } from "../model/workflow-ids.ts";
import { selfOwner } from "../platform/identity.ts";
import { breakClaim } from "../session/claims.ts";
import type { Store } from "../store/store.ts";
import { changeState, type OpenedState } from "./change-state.ts";
import type { StepClaimNow } from "./claims-now.ts";
import { type FileHolder, holdersIn, keyOf, partOfHolder } from "./holders.ts";
import { withBrokenClaim, withFreeLock } from "./step-claims.ts";
import { storeClaimsOf } from "./store-claims.ts";
import { takeInFromFile } from "./take-in.ts";
import { validateText } from "./validate.ts";

export async function breakStep(
  store: Store,
  claim: Pick<StepClaimNow, "session" | "file" | "step">,
  reason: string,
  liveness: (owner: Owner) => Liveness,
): Promise<{ readonly attempt: number }> {
  const { session, file, step } = claim;
  const endInStore = () => breakClaim(store, session, selfOwner("claim break"), reason, liveness);
  // A file that is gone or broken shows nothing that could be freed: the store's word stands.
  if (!existsSync(file)) return endInStore();
  return changeState(store, file, async (opened) => {
    const { text, around, shape, nowMs } = opened;
    const doc = text === null ? null : (validateText("", text, around).doc?.value ?? null);
    if (doc === null) return { doc: null, what: "claim break", result: await endInStore() };
    const claims = await storeClaimsOf(store, opened.identity.session);
    const holders = holdersIn(doc, shape, nowMs, claims);
    const shown = holders.find((holder) => partOfHolder(holder) === step);
    if (shown?.word === "file") await takeIn(opened, doc, step, shown);
    const result = await endInStore();
    const lock = holders.find((holder) => holder.step === null);
    const isOthers = lock?.word === "file" && !lock.isStale && (!shown || keyOf(lock) !== keyOf(shown));
    const place = { doc, shape, step, keepsLock: isOthers === true };
    const next = step === LOCK ? (shown ? withFreeLock(doc) : doc) : withBrokenClaim(place, reason, nowMs);
    return { doc: next === doc ? null : next, what: "claim break", step: null, result };
  });
}

async function takeIn(opened: OpenedState, doc: JsonObject, step: string, holder: FileHolder): Promise<void> {
  const row = await opened.store.session(opened.identity.stepSession(step));
  await takeInFromFile(opened, { doc, step, holder, row });
}
