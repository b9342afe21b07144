/**
 * `claim break ID --reason R` (K4): ends the claim of an owner that is gone, recorded with the reason. An owner
 * alive on this machine could go on changing files: refused, before anything is asked.
 */
import { RefloatError } from "../../model/errors.ts";
import type { Liveness, Owner } from "../../model/owner.ts";
import { selfOwner } from "../../platform/identity.ts";
import { livenessOf } from "../../platform/liveness.ts";
import { assertNotAlive, breakClaim } from "../../session/claims.ts";
import { freeInFile } from "../../workflow/break-step.ts";
import { livenessOfClaimOwner } from "../../workflow/claim-owner.ts";
import { assertNotJudgedAs } from "../../workspace/judged-session.ts";
import { type ClaimFacts, claimFacts, livenessText, ownerText } from "../claim-facts.ts";
import type { Ending } from "../command-spec.ts";
import { confirmed, type Plan } from "../confirm.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../options.ts";
import { resolveSession } from "../resolve-session.ts";
import { shortId } from "../short-id.ts";
import { oneLine, ordinal } from "../words.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const reason = textOption(input, "reason")?.trim() ?? "";
  if (reason === "") throw new RefloatError("E_NO_REASON");
  const { store, row } = await resolveSession(context, textArgument(input, 0));
  if (!isSet(input, "dryRun")) assertNotJudgedAs(process.env, row.id, "break its own session's claim");
  const proved = row.claim.owner ? await livenessOfClaimOwner(store.raw, row.claim.owner) : null;
  const liveness = (owner: Owner): Liveness =>
    owner === row.claim.owner && proved ? proved : livenessOf(owner);
  const facts = claimFacts(row, context.clock.nowMs(), liveness);
  assertNotAlive(row, liveness);
  const plan = planOf(context, facts, reason);
  if (!facts.owner)
    return tell(context, plan, { done: false, lines: ["Nobody holds it: nothing to break."] });
  if (isSet(input, "dryRun")) return tell(context, plan, { done: false, lines: plan.text() });
  if (!(await confirmed(context, plan))) {
    await tell(context, plan, { done: false, lines: ["Nothing was changed."] });
    return EXIT.failed; // a script that goes on after it must not take "no" for "done"
  }
  const { attempt } = await breakClaim(store.raw, row.id, selfOwner("claim break"), reason, liveness);
  await freeInFile(store.raw, row, reason);
  const id = shortId(row.id);
  return tell(context, plan, {
    done: true,
    lines: [
      `The claim is free; the ${ordinal(attempt - 1)} try cannot write any more.`,
      context.out.typed(`What it left open: refloat show ${id}`),
    ],
  });
}

function planOf(context: Context, facts: ClaimFacts, reason: string): Plan {
  const { session, attempt, owner, liveness } = facts;
  return {
    json: { session, attempt, from: owner, liveness, reason },
    text: () =>
      owner === null
        ? []
        : [
            `Take the claim on ${shortId(session)} from ${ownerText(owner)}`,
            `  (${ordinal(attempt)} try; the owner is ${livenessText(facts, context.clock.nowMs())}).`,
            `  Recorded reason: ${oneLine(reason)}`,
          ],
  };
}

async function tell(
  context: Context,
  plan: Plan,
  outcome: { readonly done: boolean; readonly lines: readonly string[] },
): Promise<Ending> {
  await context.out.result({
    command: "claim-break",
    json: { plan: plan.json, done: outcome.done },
    text: () => outcome.lines,
  });
  return EXIT.done;
}
