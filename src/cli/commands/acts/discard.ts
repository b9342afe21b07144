/**
 * `discard [ID] (--group G... | --safe | --all | [--] PATH...)`: drops a session's uncommitted changes, and nobody else's.
 * Undoable. What is chosen by what it is goes in whole groups (S4), like everything that is settled; paths somebody types
 * are the files he means, those and no others, as for `restore` (W5); that a group is taken apart by it is said (S4, T1). Either way a live session
 * is left alone.
 */
import { compileDiscard } from "../../../acts/compilers/discard.ts";
import { gatherDiscard } from "../../../acts/compilers/gather-discard.ts";
import { chooseSession } from "../../../app/sessions/choose-session.ts";
import { RefloatError } from "../../../model/errors.ts";
import { actsOn } from "../../../salvage/settle/choose-groups.ts";
import { judgedAs } from "../../../workspace/trust/judged-session.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { sessionAndPaths } from "../../context/session-and-paths.ts";
import {
  type CommandInput,
  isSet,
  listArgument,
  listOption,
  textOption,
  usage,
} from "../../grammar/options.ts";
import { shortId } from "../../screen/short-id.ts";
import { count } from "../../screen/words.ts";
import { runAct } from "../plans/act.ts";
import { salvageHere } from "../salvage/salvage-here.ts";
import { assertOver, runSettle } from "../salvage/settle-run.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = await sessionAndPaths(context, listArgument(input, 0));
  const byGroup = (): Promise<CommandEnd> =>
    runSettle(context, input, {
      ...typed,
      act: "discard",
      stopsLeftovers: false,
      decide: (chosen) => actsOn(chosen, "discard"),
    });
  if (listOption(input, "group").length > 0 || isSet(input, "safe")) return byGroup();
  const isAll = isSet(input, "all");
  if (isAll === typed.paths.length > 0) throw usage("Say what to discard: --all, or the paths.");
  if (isAll) return byGroup();
  const session = await chooseSession(context, typed.session);
  const { store, here, rows, chosen } = session;
  // What no session owns, adopted or named, is known by its group only.
  if (!store || !chosen || isSet(input, "adopt")) return byGroup();
  const { row, summary } = chosen;
  if (judgedAs(here.env, row.id) !== null && !isSet(input, "dryRun"))
    throw new RefloatError("E_UNDER_MARK", { session: row.id, what: "discard its own session's changes" });
  if (!isSet(input, "dryRun")) assertOver(summary);
  const named = typed.paths.map((path) => pathHere(here, path));
  return runAct(context, input, { store, here }, async (onProgress) => {
    const options = { store: store.raw, workspace: here.workspace, env: here.env, rows, onProgress };
    const { facts, headId } = await gatherDiscard(options, row.id, named);
    const { draft, leftAlone } = compileDiscard(facts);
    const { found } = await salvageHere(context, session, { isChecking: false });
    const clean = draft.puts.filter(({ path }) => facts.isReconstructed(path)).length;
    return {
      draft: { ...draft, note: textOption(input, "message") },
      leftAlone,
      title: `Discard changes of session ${shortId(row.id)}`,
      word: "discard",
      commit: headId,
      groups: found.groups,
      notes:
        clean === 0
          ? []
          : [`${count(clean, "path goes", "paths go")} back to what HEAD has: git calls that unmodified.`],
    };
  });
}
