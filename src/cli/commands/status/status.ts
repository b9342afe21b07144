/**
 * Bare `refloat`: one screen for the whole repository (DESIGN 10). Reads only; a store is never made. Where nothing is
 * unsettled it needs a list of rows and what is open in them, and nothing else is loaded; else what was left is judged.
 */

import { status } from "../../../app/status/status.ts";
import { toldStatus } from "../../../app/status/told-status.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { sayOff } from "../../context/say-off.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { repositoryScope } from "../../grammar/scope-flags.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { salvageFace } from "../salvage/salvage-here.ts";
import { statusLines } from "./status-lines.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  if (isSet(input, "web")) return (await import("../protocols/web.ts")).onThePage(context, null);
  if (isSet(input, "fleet")) return (await import("../fleet/status-fleet.ts")).showFleet(context);
  const scope = repositoryScope(input, context.place());
  await sayOff(context);
  const found = await status(context, scope, salvageFace(context), {
    isAwakeOnly: !context.flags.isJson,
  });
  const { hasStore, ids, isSetUp, isAttentionWanted } = found;
  const address = await context.storeAddress();
  const json = toldStatus(found, scope, context.out.typed);
  const { sessions, counts, tree, groups, not_judged: notJudged, cut_off: cutOff, next } = json;
  await context.out.result({
    command: "status",
    json,
    text: () =>
      statusLines(context, {
        ...{ scope, sessions, ids, counts, groups, notJudged, tree, cutOff, isSetUp, next },
        noStoreAt: hasStore ? null : address,
        isNamed: context.flags.store !== null || process.env.REFLOAT_STORE !== undefined,
      }),
  });
  return isSet(input, "exitCode") && isAttentionWanted ? EXIT.attention : EXIT.done;
}
