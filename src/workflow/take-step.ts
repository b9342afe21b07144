/** Taking and keeping the claim on a step (K1, K5). The caller holds the file's claim, so takings of one file do not race. */
import { RefloatError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Owner } from "../model/owner.ts";
import { bodyAs } from "../model/record.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { randomToken } from "../platform/random.ts";
import { Held, takeClaim } from "../session/claims.ts";
import type { SessionRow } from "../store/driver.ts";
import { beganRecord, type OpenedState } from "./change-state.ts";
import { livenessOfClaimOwner } from "./claim-owner.ts";
import { thresholdOf } from "./holders.ts";
import { objectOf, own, stepsIn, textOf } from "./state-doc.ts";
import { foreignHolder, isTokenOf, tokenFor, withClaim, withHeartbeat } from "./step-claims.ts";

export interface HeldStep {
  readonly attempt: number;
  /** The document with the claim in it. */
  readonly doc: JsonObject;
  readonly token: string | null;
  /** From whom it was taken because they were gone. */
  readonly from: string | null;
}

export interface WantedStep {
  readonly doc: JsonObject;
  readonly step: string;
  readonly owner: Owner;
}

/** Holds the step afterwards, or throws E_STEP_HELD, E_STEP_FENCED. `token`: what the caller was given when he took it. */
export async function holdStep(
  opened: OpenedState,
  wanted: WantedStep,
  token: string | null,
): Promise<HeldStep> {
  const { store, identity, shape, nowMs } = opened;
  const { doc, step, owner } = wanted;
  const row = await store.session(identity.stepSession(step));
  if (token !== null && tokenIn(doc, opened, step) !== token) throw fenced(step, owner, row);
  if (row?.claim.owner?.instance === owner.instance) {
    // The store refuses an attempt that is over, in the transaction that renews (K1).
    const { attempt } = row.claim;
    await store.renew(row.id, attempt);
    const known = tokenIn(doc, opened, step);
    if (known !== null && isTokenOf(known, attempt))
      return { attempt, doc: withHeartbeat({ doc, shape, step }, nowMs), token: known, from: null };
    // Killed between the claim and the file, or the file was put back to an older version: written down now.
    return { attempt, from: null, ...mirrored(opened, wanted, attempt, null) };
  }
  const stranger = foreignHolder({ doc, shape, step }, await knownOwners(opened, owner), nowMs);
  if (stranger) {
    const why = "by the file's word, with a fresh heartbeat";
    throw new RefloatError("E_STEP_HELD", { step, by: stranger.owner, why, claim: identity.stepName(step) });
  }
  return take(opened, wanted, row);
}

async function take(opened: OpenedState, wanted: WantedStep, row: SessionRow | null): Promise<HeldStep> {
  const { store, identity } = opened;
  const { doc, step, owner } = wanted;
  const before = row?.claim.owner ?? null;
  const liveness = before ? await livenessOfClaimOwner(store, before) : null;
  try {
    const { attempt, seen } = await takeClaim(store, {
      session: identity.stepSession(step),
      owner,
      thresholdMs: thresholdOf(doc),
      ...(liveness ? { liveness: () => liveness } : {}),
      records: ({ row: known }) =>
        known ? [] : [beganRecord(store, identity.path, identity.stepName(step))],
    });
    crashPoint("step.after-claim");
    const { why, from } = seen.decision;
    const gone = from ? { owner: from.instance, why } : null;
    return { attempt, from: gone?.owner ?? null, ...mirrored(opened, wanted, attempt, gone) };
  } catch (thrown) {
    if (!(thrown instanceof Held)) throw thrown;
    const since = thrown.since?.toISOString() ?? "an unknown time";
    throw new RefloatError(
      "E_STEP_HELD",
      { step, by: thrown.by.instance, why: `since ${since}`, claim: identity.stepName(step) },
      thrown,
    );
  }
}

/** The claim as the file shows it, with a token of its own; 3.0 shows none. */
function mirrored(
  { shape, nowMs }: OpenedState,
  { doc, step, owner }: WantedStep,
  attempt: number,
  gone: { readonly owner: string; readonly why: string } | null,
): Pick<HeldStep, "doc" | "token"> {
  const token = tokenFor(attempt, randomToken());
  const next = withClaim({ doc, shape, step }, { owner: owner.instance, token, nowMs }, gone);
  return { doc: next, token: own(doc, "schema_version") === "2.0" ? token : null };
}

/** The owners the store knows for this file: their names in the file are mirrors, not strangers. */
async function knownOwners(
  { store, identity, shape }: OpenedState,
  self: Owner,
): Promise<ReadonlySet<string>> {
  const known = new Set<string>([self.instance]);
  for (const { id } of shape.steps) {
    const row = await store.session(identity.stepSession(id));
    if (!row) continue;
    const taken = await store.records({
      session: row.id,
      kinds: ["claim.taken"],
      order: "backward",
      limit: 2,
    });
    for (const record of taken) {
      const body = bodyAs(record, "claim.taken");
      if (body) known.add(body.owner.instance);
      if (body?.from) known.add(body.from.instance);
    }
  }
  return known;
}

function tokenIn(doc: JsonObject, { shape }: OpenedState, step: string): string | null {
  const view = stepsIn(doc, shape).find(({ spec }) => spec.id === step);
  return textOf(own(objectOf(own(view?.body, "claim")), "attempt_token"));
}

const fenced = (step: string, owner: Owner, row: SessionRow | null): RefloatError =>
  new RefloatError("E_STEP_FENCED", { step, owner: owner.instance, current: row?.claim.attempt ?? 0 });
