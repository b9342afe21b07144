/**
 * `claim break ID --reason R` (K4): ends the claim of an owner that is gone, recorded with the reason. An owner
 * alive on this machine could go on changing files: refused, before anything is asked.
 */

import { oneFile } from "../../../app/place/state-files.ts";
import { type ClaimView, claimFacts, stepClaimFacts } from "../../../app/sessions/claim-facts.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { SessionId } from "../../../model/ids.ts";
import type { Liveness, Owner } from "../../../model/owner.ts";
import { selfOwner } from "../../../platform/identity.ts";
import { livenessOf } from "../../../platform/liveness.ts";
import { assertNotAlive, breakClaim } from "../../../session/claims.ts";
import { describeOwner } from "../../../store/refusal-error.ts";
import type { Store } from "../../../store/store.ts";
import { breakStep } from "../../../workflow/break-step.ts";
import { isByWord, isOfFile, isSameOwner, sessionOf } from "../../../workflow/claim-owner.ts";
import { assertNotJudgedAs } from "../../../workspace/trust/judged-session.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, type ShownPlan } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { oneLine, ordinal } from "../../screen/words.ts";
import { livenessText, ownerText } from "./claim-words.ts";
import { claimInFile, claimMeant, type FoundClaim } from "./claims-here.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const reason = textOption(input, "reason")?.trim() ?? "";
  if (reason === "") throw new RefloatError("E_NO_REASON");
  const found = await meant(context, input);
  const store = (await context.openOrMakeStore()).raw;
  const facts = await factsOf(store, found);
  if (!isSet(input, "dryRun")) assertNotJudgedAs(process.env, facts.session, "break its own session's claim");
  assertNobodyWorks(found, facts);
  const plan = planOf(context, facts, reason);
  if (!facts.owner)
    return tell(context, plan, { done: false, lines: ["Nobody holds it: nothing to break."] });
  if (isSet(input, "dryRun")) return tell(context, plan, { done: false, lines: plan.text() });
  if (!(await confirmed(context, plan))) {
    await tell(context, plan, { done: false, lines: ["Nothing was changed."] });
    return EXIT.failed; // a script that goes on after it must not take "no" for "done"
  }
  const { attempt } = await broken(store, found, facts, reason);
  const id = shortId(
    facts.session,
    (await store.sessions()).map((row): string => row.id),
  );
  return tell(context, plan, {
    done: true,
    lines: [
      `The claim is free; ${endedText(facts, attempt)}.`,
      context.out.typed(`What it left open: refloat show ${id}`),
    ],
  });
}

/** Which try it was is known only of a claim that this store gave (T1). */
const endedText = ({ owner }: ClaimView, attempt: number): string =>
  owner && isOfFile(owner)
    ? `what ${ownerText(owner)} had is over`
    : `the ${ordinal(attempt - 1)} try cannot write any more`;

async function meant(context: Context, input: CommandInput): Promise<FoundClaim> {
  const typed = textArgument(input, 0) ?? "";
  const file = textOption(input, "file");
  if (file === null) return claimMeant(context, typed);
  return claimInFile(context, await oneFile(context, file), typed);
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

function planOf(context: Context, facts: ClaimView, reason: string): ShownPlan {
  const { session, attempt, owner, liveness } = facts;
  return {
    json: { session, attempt, from: owner, liveness, reason },
    text: () =>
      owner === null
        ? []
        : [
            `Take the claim on ${shortId(session)} from ${ownerText(owner)}`,
            `  (${isOfFile(owner) ? "by the file's word" : `${ordinal(attempt)} try`}; the owner is ${livenessText(facts, context.clock.nowMs())}).`,
            `  Recorded reason: ${oneLine(reason)}`,
          ],
  };
}

async function tell(
  context: Context,
  plan: ShownPlan,
  outcome: { readonly done: boolean; readonly lines: readonly string[] },
): Promise<CommandEnd> {
  await context.out.result({
    command: "claim-break",
    json: { plan: plan.json, done: outcome.done },
    text: () => outcome.lines,
  });
  return EXIT.done;
}
