/** `last-good --verify CMD`: the newest capture that passes the user's check, found by halving. Reads only, but for scratch trees. */

import { lastGood } from "../../../app/salvage/last-good.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { untilSignalled } from "../../context/until-signalled.ts";
import { type CommandInput, isSet, textArgument, textOption, usage } from "../../grammar/options.ts";
import { dependenciesJson, dependencyLines } from "../../screen/dependency-lines.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { agoText, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const command = textOption(input, "verify");
  if (command === null) throw usage("Say how to tell a good one: --verify CMD.");
  const found = await lastGood(
    context,
    { session: textArgument(input, 0), command, isLinking: isSet(input, "linkDeps") },
    { tell: teller(context), untilStopped: untilSignalled },
  );
  const good = found.good;
  await context.out.result({
    command: "last-good",
    json: {
      session: found.session,
      command,
      capture: good?.id ?? null,
      at: good ? new Date(good.atMs).toISOString() : null,
      bad: found.bad?.id ?? null,
      tried: found.tried,
      dependencies: dependenciesJson(found.dependencies),
    },
    text: () => [
      ...(good
        ? [
            `The newest capture that passes is ${shortId(good.id)}, of ${agoText(good.atMs, context.clock.nowMs())}.`,
            ...(found.bad ? [`The next one, ${shortId(found.bad.id)}, does not.`] : []),
            context.out.typed(`Back to it: refloat restore ${shellLineWord(shortId(good.id))}`),
          ]
        : [`None of ${found.tried} captures passes: ${oneLine(command)}`]),
      ...dependencyLines(found.dependencies),
    ],
  });
  return good ? EXIT.done : EXIT.failed;
}
