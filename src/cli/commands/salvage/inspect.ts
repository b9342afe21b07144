/** `inspect [ID]`: the manifest, the worst first. Changes nothing, and needs no prior install (S1). */

import { inspect } from "../../../app/salvage/inspect.ts";
import { toldCheck } from "../../../app/salvage/told-check.ts";
import type { Manifest } from "../../../model/manifest.ts";
import type { VerifiedGroups } from "../../../salvage/check/verify.ts";
import { aboutLines } from "../../context/about.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../../grammar/options.ts";
import { checkedLines } from "../../screen/check-lines.ts";
import { dependenciesJson } from "../../screen/dependency-lines.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { judgedLines, toldLines } from "../manifest/manifest-lines.ts";
import { salvageFace } from "./salvage-here.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  if (isSet(input, "web"))
    return (await import("../protocols/web.ts")).onThePage(context, {
      session: textArgument(input, 0),
      view: "left",
    });
  const isAll = isSet(input, "all");
  const order = {
    session: textArgument(input, 0),
    verify: textOption(input, "verify"),
    isLinking: isSet(input, "linkDeps"),
    stopsLeftovers: isSet(input, "stopLeftovers"),
  };
  const { judged, isAttentionWanted, ...found } = await inspect(context, order, {
    ...salvageFace(context),
    ...(context.out.isJson ? {} : { onTold: (manifest) => tell(context, manifest, isAll) }),
  });
  const manifest = typedNext(context, found.manifest);
  const said = checkedLines(judged, context.out.columns);
  await context.out.result({
    command: "inspect",
    json: {
      ...manifest,
      check: await toldCheck(judged),
      ...(judged.verified ? { verify: verifyJson(judged.verified) } : {}),
    },
    text: () => [...judgedLines(context, manifest, isAll), ...(said.length > 0 ? ["", ...said] : [])],
  });
  return isSet(input, "exitCode") && isAttentionWanted ? EXIT.attention : EXIT.done;
}

async function tell(context: Context, manifest: Manifest, isAll: boolean): Promise<void> {
  await context.out.write(`${[...aboutLines(context), ...toldLines(context, manifest, isAll)].join("\n")}\n`);
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
