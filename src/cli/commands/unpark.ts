/** `unpark NAME`: brings a parked group back: its bytes into the tree, what was staged of it into the index. Undoable. */
import { compileUnpark } from "../../acts/park.ts";
import type { Plan } from "../../acts/plans.ts";
import { RefloatError } from "../../model/errors.ts";
import { judgedAs } from "../../workspace/judged-session.ts";
import { runAct } from "../act.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { type CommandInput, isSet, textArgument } from "../options.ts";
import { parkedHere, parkedNamed } from "../parked-here.ts";
import { workspaceHere } from "../workspace-here.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const typed = textArgument(input, 0) ?? "";
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  if (!store) throw new RefloatError("E_NO_PARKED", { what: typed });
  return runAct(context, input, { store, here }, async () => {
    const { parked, plans } = await parkedHere(store.raw, here.workspace);
    const one = parkedNamed(parked, typed);
    const marked = judgedAs(here.env, one.session);
    if (marked !== null && !isSet(input, "dryRun"))
      throw new RefloatError("E_UNDER_MARK", { session: marked, what: "bring back what was parked of it" });
    const plan = plans.find(({ id }) => id === one.plan) as Plan;
    return {
      draft: compileUnpark(one, plan),
      leftAlone: [],
      title: `Bring ${one.name} back`,
      without: "Everything of it is there already: it is no longer parked.",
      word: "restore",
      commit: null,
    };
  });
}
