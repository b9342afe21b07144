/**
 * `discard [ID] (--group G... | --safe | --all | [--] PATH...)`: drops a session's uncommitted changes, and nobody else's.
 * Undoable. What is chosen by what it is goes in whole groups (S4), like everything that is settled; paths somebody types
 * are the files he means, those and no others, as for `restore` (W5); that a group is taken apart by it is said (S4, T1). Either way a live session
 * is left alone.
 */

import { discardPaths } from "../../../app/salvage/discard-paths.ts";
import { chooseSession } from "../../../app/sessions/choose-session.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { sessionAndPaths } from "../../context/session-and-paths.ts";
import { untilSignalled } from "../../context/until-signalled.ts";
import {
  type CommandInput,
  isSet,
  listArgument,
  listOption,
  textOption,
  usage,
} from "../../grammar/options.ts";
import { actHow, tellAct } from "../plans/act.ts";
import { runSettle } from "../salvage/settle-run.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = await sessionAndPaths(context, listArgument(input, 0));
  const byGroup = (): Promise<CommandEnd> =>
    runSettle(context, input, { ...typed, does: { kind: "discard" } });
  if (listOption(input, "group").length > 0 || isSet(input, "safe")) return byGroup();
  const isAll = isSet(input, "all");
  if (isAll === typed.paths.length > 0) throw usage("Say what to discard: --all, or the paths.");
  if (isAll) return byGroup();
  const session = await chooseSession(context, typed.session);
  const { store, here, chosen } = session;
  // What no session owns, adopted or named, is known by its group only.
  if (!store || !chosen || isSet(input, "adopt")) return byGroup();
  const how = { ...actHow(context, input), untilStopped: untilSignalled };
  const ended = await discardPaths(context, how, {
    session: { ...session, store, chosen },
    paths: typed.paths.map((path) => pathHere(here, path)),
    note: textOption(input, "message"),
  });
  return tellAct(context, input, ended);
}
