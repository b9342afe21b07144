/**
 * Ending the claim of an owner that is gone, on record and with the reason (K4). An owner alive on this machine could go on changing
 * files: refused, before anything is asked; and so is the session's own process (T2).
 */
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Liveness, Owner } from "../../model/owner.ts";
import { selfOwner } from "../../platform/identity.ts";
import { livenessOf } from "../../platform/liveness.ts";
import { assertNotAlive, breakClaim } from "../../session/claims.ts";
import { describeOwner } from "../../store/refusal-error.ts";
import type { Store } from "../../store/store.ts";
import { breakStep } from "../../workflow/break-step.ts";
import { isByWord, isSameOwner, sessionOf } from "../../workflow/claim-owner.ts";
import { assertNotJudgedAs } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import { oneFile } from "../place/state-files.ts";
import { type ClaimView, claimFacts, stepClaimFacts } from "./claim-facts.ts";
import { claimInFile, claimMeant, type FoundClaim } from "./claims.ts";

export interface BreakOrder {
  /** A session, as it was typed; of a state file that is named: a step's number, or `lock`. */
  readonly claim: string;
  readonly file: string | null;
  readonly reason: string;
}

export type BreakOutcome = { readonly facts: ClaimView } & (
  | { readonly kind: "unheld" | "planned" | "declined" }
  | {
      readonly kind: "broken";
      readonly attempt: number;
      /** Every session of the store. */
      readonly ids: readonly string[];
    }
);

/** `ask`: whether that claim may be taken; null: a dry run. */
export async function breakIfAgreed(
  at: AppPlace,
  { claim, file, reason }: BreakOrder,
  ask: ((facts: ClaimView) => Promise<boolean>) | null,
): Promise<BreakOutcome> {
  if (reason === "") throw new RefloatError("E_NO_REASON");
  const found =
    file === null ? await claimMeant(at, claim) : await claimInFile(at, await oneFile(at, file), claim);
  const store = (await at.openOrMakeStore()).raw;
  const facts = await factsOf(store, found);
  if (ask) assertNotJudgedAs(at.env, facts.session, "break its own session's claim");
  assertNobodyWorks(found, facts);
  if (!facts.owner) return { kind: "unheld", facts };
  if (!ask) return { kind: "planned", facts };
  if (!(await ask(facts))) return { kind: "declined", facts };
  const { attempt } = await broken(store, found, facts, reason);
  return { kind: "broken", facts, attempt, ids: (await store.sessions()).map(({ id }) => id) };
}

async function factsOf(store: Store, { row, step }: FoundClaim): Promise<ClaimView> {
  if (step) return stepClaimFacts(step);
  if (row) return claimFacts(store, row);
  throw new RefloatError("E_NO_SESSION", { what: "of this claim" });
}

/** K4: of a session its agent counts, too, where that outlived its supervisor. A step's claim ends with the session that has it. */
function assertNobodyWorks({ row, step }: FoundClaim, { session, owner, liveness }: ClaimView): void {
  const holder = owner === null ? null : sessionOf(owner);
  if (row && !step && !holder)
    assertNotAlive(row, (one) => (liveness && isByWord(one) ? liveness : livenessOf(one)));
  else if (owner && liveness?.kind === "alive")
    throw new RefloatError("E_STILL_ALIVE", {
      session: holder?.session ?? session,
      by: describeOwner(owner),
      why: "its process runs on this machine",
    });
}

function broken(
  store: Store,
  { row, step }: FoundClaim,
  { session, owner, liveness: proved }: ClaimView,
  reason: string,
): Promise<{ readonly attempt: number }> {
  const liveness = (one: Owner): Liveness =>
    owner && proved && isSameOwner(one, owner) ? proved : livenessOf(one);
  if (step) return breakStep(store, step, reason, liveness);
  return breakClaim(store, row?.id ?? (session as SessionId), selfOwner("claim break"), reason, liveness);
}
