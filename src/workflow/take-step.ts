/** Taking and keeping the claim on a step (K1, K5). The caller holds the file's claim, so takings of one file do not race. */
import type { JsonObject } from "../model/json.ts";
import type { Owner } from "../model/owner.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { randomToken } from "../platform/random.ts";
import { Held, takeClaim } from "../session/claims.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { beganRecord, type OpenedState } from "./change-state.ts";
import { isSameOwner, livenessForTaking, sessionOf } from "./claim-owner.ts";
import { numberOfToken, tokenFor } from "./claim-token.ts";
import {
  type FileHolder,
  holdersIn,
  type StoreClaim,
  sessionPauseMs,
  strangerAt,
  thresholdOfClaim,
} from "./holders.ts";
import { own } from "./state-doc.ts";
import { endOf, withClaim, withHeartbeat, withMirror } from "./step-claims.ts";
import { fencedError, heldByStore, heldInFile } from "./step-refusals.ts";
import { storeClaimsOf } from "./store-claims.ts";
import { takeInFromFile } from "./take-in.ts";

export interface HeldStep {
  readonly attempt: number;
  /** The document with the claim in it. */
  readonly doc: JsonObject;
  readonly token: string | null;
  /** From whom it was taken because they were gone. */
  readonly from: string | null;
  /** It was this owner's, and the file showed it: nothing but its heartbeat is another. */
  readonly isRenewed: boolean;
}

export interface WantedStep {
  readonly doc: JsonObject;
  readonly step: string;
  readonly owner: Owner;
}

interface TakingFacts extends WantedStep {
  readonly opened: OpenedState;
  readonly row: SessionRow | null;
  /** The store's claim; null: it never had one. */
  readonly claim: StoreClaim | null;
  /** Who the file says has the step. */
  readonly shown: FileHolder | null;
  /** Who has it, or the lock, by the file's word alone. */
  readonly stranger: FileHolder | null;
  /** The file says that the store's claim is over: another store ended it. */
  readonly isOver: boolean;
}

async function look(opened: OpenedState, wanted: WantedStep): Promise<TakingFacts> {
  const { store, identity, shape, nowMs } = opened;
  const { doc, step } = wanted;
  const claims = await storeClaimsOf(store, identity.session);
  const holders = own(doc, "schema_version") === "2.0" ? holdersIn(doc, shape, nowMs, claims) : [];
  const claim = claims.get(step) ?? null;
  const shown = holders.find((holder) => holder.step === step) ?? null;
  const isHeldHere = claim?.owner != null && !claim.isOfFile && claim.token !== null;
  return {
    ...wanted,
    opened,
    row: await store.session(identity.stepSession(step)),
    claim,
    shown,
    stranger: strangerAt(holders, step),
    isOver: isHeldHere && shown?.word !== "store" && endOf({ doc, shape, step }, claim.token ?? "") !== null,
  };
}

/** Holds the step afterwards, or throws E_STEP_HELD, E_STEP_FENCED. `token`: what the caller was given when he took it. */
export async function holdStep(
  opened: OpenedState,
  wanted: WantedStep,
  token: string | null,
): Promise<HeldStep> {
  const seen = await withoutOver(await look(opened, wanted));
  const { doc, step, owner, stranger, row, shown, claim } = seen;
  if (token !== null && shown?.token !== token) throw fencedError(opened.identity, seen);
  // A lock that somebody left behind takes nothing from whoever has the step.
  const isLeftLock =
    stranger?.step === null && stranger.isStale && (claim?.isHeld || shown?.word === "store");
  if (!stranger || isLeftLock) return isOwn(seen) ? keep(seen) : take(seen, null);
  // Whoever shows the token of the claim has it, whichever store gave it.
  const isProved = token !== null && stranger.step === step && stranger.owner === owner.instance;
  if (!stranger.isStale && !isProved) throw await heldInFile(opened, { ...seen, holder: stranger });
  const taken = await takeInFromFile(opened, { doc, step, holder: stranger, row });
  return take({ ...seen, row: taken }, isProved ? stranger : null);
}

/** What another store ended, this one holds for nobody: it goes back here, too, before anything is decided on it. */
async function withoutOver(seen: TakingFacts): Promise<TakingFacts> {
  const { opened, row, stranger, claim } = seen;
  // Where somebody else has it by now, taking theirs in says it all.
  if (!seen.isOver || !row || !claim || stranger?.step === seen.step) return seen;
  const { store } = opened;
  const { attempt } = row.claim;
  await store.release(row.id, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
  return { ...seen, row: await store.session(row.id), claim: { ...claim, owner: null, isHeld: false } };
}

/** Throws E_STEP_FENCED unless it is this owner's, by the store and by the file: what is renewed is never taken anew. */
export async function assertHeld(opened: OpenedState, wanted: WantedStep): Promise<void> {
  const seen = await look(opened, wanted);
  const isOthers = seen.isOver || seen.shown?.word === "file";
  if (!isOwn(seen) || isOthers) throw fencedError(opened.identity, seen);
}

const isOwn = ({ row, owner }: TakingFacts): boolean =>
  row !== null && row.claim.owner !== null && isSameOwner(row.claim.owner, owner);

async function keep(seen: TakingFacts): Promise<HeldStep> {
  const { opened, row, claim, shown, doc, step } = seen;
  const { store, shape, nowMs, identity } = opened;
  const attempt = row?.claim.attempt ?? 0;
  const session = identity.stepSession(step);
  // The store refuses an attempt that is over, in the transaction that renews (K1).
  await store.renew(session, attempt);
  if (shown?.word === "store") {
    const renewed = withHeartbeat({ doc, shape, step }, nowMs);
    return { attempt, doc: renewed, token: shown.token, from: null, isRenewed: true };
  }
  // Killed between the claim and the file, or the file was put back to an older version: written down now.
  const token = claim?.token ?? newToken(seen, attempt);
  return { attempt, from: null, isRenewed: false, ...mirrored(seen, token, null) };
}

/** `proved`: the claim in the file is the caller's own, by its token; it only moves into this store. */
async function take(seen: TakingFacts, proved: FileHolder | null): Promise<HeldStep> {
  const { opened, doc, step, owner, row } = seen;
  const { store, identity } = opened;
  const before = row?.claim.owner ?? null;
  const liveness = before ? await livenessForTaking(store, before) : null;
  const makesWay = { kind: "dead", because: "no-such-process" } as const;
  try {
    const taken = await takeClaim(store, {
      session: identity.stepSession(step),
      owner,
      thresholdMs: thresholdOfClaim(doc, { everyMs: pauseOf(owner, doc) }),
      ...(liveness ? { liveness: () => (proved ? makesWay : liveness) } : {}),
      token: (attempt) => proved?.token ?? newToken(seen, attempt),
      records: ({ row: known }) =>
        known ? [] : [beganRecord(store, identity.path, identity.stepName(step))],
    });
    crashPoint("step.after-claim");
    const { attempt, seen: found } = taken;
    const { why, from } = found.decision;
    const gone = from && !proved ? { owner: from.instance, why } : null;
    const shown = proved ? moved(seen, proved) : mirrored(seen, taken.token ?? "", gone);
    return { attempt, from: gone?.owner ?? null, isRenewed: false, ...shown };
  } catch (thrown) {
    if (!(thrown instanceof Held)) throw thrown;
    throw await heldByStore(opened, seen, thrown);
  }
}

const newToken = ({ shown, owner }: TakingFacts, attempt: number): string =>
  tokenFor({
    number: Math.max(attempt, (numberOfToken(shown?.token ?? null) ?? 0) + 1),
    owner: owner.instance,
    random: randomToken(),
  });

/** The same claim under the same token, only known to this store now: nothing is begun anew, nothing was taken from anybody. */
const moved = (
  { opened, doc, step, owner }: TakingFacts,
  { token, everyMs }: FileHolder,
): Pick<HeldStep, "doc" | "token"> => ({
  doc: withMirror(
    { doc, shape: opened.shape, step },
    { owner: owner.instance, token: token ?? "", nowMs: opened.nowMs, everyMs },
  ),
  token,
});

/** An owner by name beats when he says something, or by `claim keep`, which tells the file itself. */
const pauseOf = (owner: Owner, doc: JsonObject): number | null =>
  sessionOf(owner) === null ? null : sessionPauseMs(doc);

/** The claim as the file shows it; 3.0 shows none. */
function mirrored(
  { opened, doc, step, owner }: TakingFacts,
  token: string,
  gone: { readonly owner: string; readonly why: string } | null,
): Pick<HeldStep, "doc" | "token"> {
  const { shape, nowMs } = opened;
  const mirror = { owner: owner.instance, token, nowMs, everyMs: pauseOf(owner, doc) };
  const next = withClaim({ doc, shape, step }, mirror, gone);
  return { doc: next, token: own(doc, "schema_version") === "2.0" ? token : null };
}
