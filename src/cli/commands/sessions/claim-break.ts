/** `claim break ID --reason R`: shows whose claim it is, asks, and ends it (app/sessions/break-claim.ts). */

import { breakIfAgreed } from "../../../app/sessions/break-claim.ts";
import type { ClaimView } from "../../../app/sessions/claim-facts.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, type ShownPlan } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { oneLine, ordinal } from "../../screen/words.ts";
import { livenessText, ownerText } from "./claim-words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const reason = textOption(input, "reason")?.trim() ?? "";
  const order = { claim: textArgument(input, 0) ?? "", file: textOption(input, "file"), reason };
  const planOf = (facts: ClaimView): ShownPlan => shownPlan(context, facts, reason);
  const ask = isSet(input, "dryRun") ? null : (facts: ClaimView) => confirmed(context, planOf(facts));
  const outcome = await breakIfAgreed(context, order, ask);
  const { facts, kind } = outcome;
  const plan = planOf(facts);
  const tell = (lines: readonly string[]): Promise<void> =>
    context.out.result({
      command: "claim-break",
      json: { plan: plan.json, done: kind === "broken" },
      text: () => lines,
    });
  switch (kind) {
    case "unheld":
      await tell(["Nobody holds it: nothing to break."]);
      return EXIT.done;
    case "planned":
      await tell(plan.text());
      return EXIT.done;
    case "declined":
      await tell(["Nothing was changed."]);
      return EXIT.failed; // a script that goes on after it must not take "no" for "done"
    case "broken":
      await tell([
        `The claim is free; ${endedText(facts, outcome.attempt)}.`,
        context.out.typed(
          `What it left open: refloat show ${shellLineWord(shortId(facts.session, outcome.ids))}`,
        ),
      ]);
      return EXIT.done;
    default:
      return kind satisfies never;
  }
}

/** Which try it was is known only of a claim that this store gave (T1). */
const endedText = (facts: ClaimView, attempt: number): string =>
  facts.heldBy === "file"
    ? `what ${ownerText(facts)} had is over`
    : `the ${ordinal(attempt - 1)} try cannot write any more`;

function shownPlan(context: Context, facts: ClaimView, reason: string): ShownPlan {
  const { session, attempt, owner, liveness } = facts;
  const which = facts.heldBy === "file" ? "by the file's word" : `${ordinal(attempt)} try`;
  return {
    json: { session, attempt, from: owner, liveness, reason },
    text: () =>
      owner === null
        ? []
        : [
            `Take the claim on ${shortId(session)} from ${ownerText(facts)}`,
            `  (${which}; the owner is ${livenessText(facts, context.clock.nowMs())}).`,
            `  Recorded reason: ${oneLine(reason)}`,
          ],
  };
}
