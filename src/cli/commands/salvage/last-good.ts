/** `last-good --verify CMD`: the newest capture that passes the user's check, found by halving. Reads only, but for scratch trees. */

import { assertCheck } from "../../../app/salvage/salvage-of.ts";
import { chooseSession } from "../../../app/sessions/choose-session.ts";
import { RefloatError } from "../../../model/errors.ts";
import { findLastGood } from "../../../salvage/check/last-good.ts";
import { judgedSession } from "../../../workspace/trust/judged-session.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { untilSignalled } from "../../context/until-signalled.ts";
import { type CommandInput, isSet, textArgument, textOption, usage } from "../../grammar/options.ts";
import { dependenciesJson, dependencyLines } from "../../screen/dependency-lines.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { agoText, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const command = textOption(input, "verify");
  if (command === null) throw usage("Say how to tell a good one: --verify CMD.");
  assertCheck(command);
  const { store, here, chosen } = await chooseSession(context, textArgument(input, 0));
  if (!store || !chosen) throw new RefloatError("E_NO_SESSION", { what: `of ${context.place()}` });
  const marked = await judgedSession(here.env, store.raw);
  if (marked !== null) throw new RefloatError("E_UNDER_MARK", { session: marked, what: "choose the check" });
  const order = {
    store: store.raw,
    workspace: here.workspace,
    session: chosen.row.id,
    env: here.env,
    home: await context.home(),
    command,
    isLinking: isSet(input, "linkDeps"),
    onStep: (capture: string, tried: number) =>
      context.out.narrate(`Checking the capture ${shortId(capture)} (${tried}).`),
  };
  const found = await untilSignalled((stop) => findLastGood({ ...order, stop }));
  const good = found.good;
  await context.out.result({
    command: "last-good",
    json: {
      session: chosen.row.id,
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
            context.out.typed(`Back to it: refloat restore ${shortId(good.id)}`),
          ]
        : [`None of ${found.tried} captures passes: ${oneLine(command)}`]),
      ...dependencyLines(found.dependencies),
    ],
  });
  return good ? EXIT.done : EXIT.failed;
}
