/** `inspect [ID]`: the manifest, the worst first. Changes nothing, and needs no prior install (S1). */

import { showOpen } from "../../../app/acts/finish-open.ts";
import { recover } from "../../../app/recovery/recover.ts";
import { chooseSession } from "../../../app/sessions/choose-session.ts";
import type { Manifest } from "../../../model/manifest.ts";
import type { CheckedSalvage } from "../../../salvage/check/checked-salvage.ts";
import type { VerifiedGroups } from "../../../salvage/check/verify.ts";
import type { ToldSalvage } from "../../../salvage/judging/salvage.ts";
import { manifestOf } from "../../../salvage/manifest/manifest.ts";
import { redact } from "../../../text/redact.ts";
import { aboutLines, tellAbout } from "../../context/about.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { recoveryHere, teller } from "../../context/tell.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { judgedLines, toldLines } from "../manifest/manifest-lines.ts";
import { checkedLines } from "./check-lines.ts";
import { dependenciesJson } from "./dependency-lines.ts";
import { salvageHere } from "./salvage-here.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const session = await chooseSession(context, textArgument(input, 0));
  const { store, here } = session;
  await showOpen(store?.raw ?? null, here.workspace, teller(context));
  tellAbout(context, here.workspace.root);
  // The one thing that a reading command may signal, and only when it is told to (W1, S2).
  if (isSet(input, "stopLeftovers") && store)
    await recover({
      ...(await recoveryHere(context, store, here)),
      stops: "dead-sessions",
    });
  const judged = await salvageHere(context, session, {
    verify: textOption(input, "verify"),
    isLinking: isSet(input, "linkDeps"),
    ...(context.out.isJson ? {} : { onTold: (told) => tell(context, told, isSet(input, "all")) }),
  });
  const { found, verified } = judged;
  const manifest = typedNext(context, await manifestOf(found));
  const said = checkedLines(judged, context.out.columns);
  await context.out.result({
    command: "inspect",
    json: {
      ...manifest,
      check: await checkJson(judged),
      ...(verified ? { verify: verifyJson(verified) } : {}),
    },
    text: () => [
      ...judgedLines(context, manifest, isSet(input, "all")),
      ...(said.length > 0 ? ["", ...said] : []),
    ],
  });
  const isAttentionWanted = manifest.session.unsettled || manifest.leftovers.length > 0;
  return isSet(input, "exitCode") && isAttentionWanted ? EXIT.attention : EXIT.done;
}

/** The judging of much work takes seconds: what it is about is there before. */
async function tell(context: Context, told: ToldSalvage, isAll: boolean): Promise<void> {
  const manifest = await manifestOf({ ...told, groups: [], isMoving: false });
  await context.out.write(`${[...aboutLines(context), ...toldLines(context, manifest, isAll)].join("\n")}\n`);
}

/** Null: no check is in the verdicts, nor missing there. */
async function checkJson({ checked }: CheckedSalvage): Promise<Record<string, unknown> | null> {
  if (checked.kind === "none") return null;
  return { command: (await redact(checked.command)).text, state: checked.kind };
}

/** T6: to be typed where it is printed, whichever workspace it is about. */
const typedNext = ({ out }: Context, manifest: Manifest): Manifest => ({
  ...manifest,
  next: manifest.next.map(out.typed),
});

const verifyJson = ({
  command,
  head,
  groups,
  together,
  clashing,
  untried,
  dependencies,
}: VerifiedGroups): Record<string, unknown> => ({
  command,
  head,
  groups: [...groups].map(([group, outcome]) => ({
    group,
    outcome,
    alone: clashing.includes(group) ? "passed" : outcome,
  })),
  together,
  not_together: clashing,
  untried,
  dependencies: dependenciesJson(dependencies),
});
