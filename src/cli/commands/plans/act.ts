/**
 * What every acting command does (DESIGN 10): settle what an earlier one left, compile, show the plan, ask, do it, say
 * what came of it. With --dry-run, and where nobody can be asked, nothing is changed: an open plan is only shown.
 */
import type { PlanDraft } from "../../../acts/plans/draft.ts";
import type { ActOutcome } from "../../../acts/plans/outcome.ts";
import { planDraft } from "../../../acts/primitive/apply-draft.ts";
import { holdAndApply } from "../../../acts/primitive/hold-and-apply.ts";
import type { ActReversal, CompiledAct } from "../../../app/acts/compiled-act.ts";
import { finishOrShowOpen } from "../../../app/acts/finish-open.ts";
import type { WorkspaceHere } from "../../../app/place/workspace-here.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { tellAbout } from "../../context/about.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, mayAct } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { watched } from "../../context/watched.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { type ActView, actJson, doneLines, planJson, planLines } from "./act-view.ts";

export interface ActPlace {
  readonly store: RefloatStore;
  readonly here: WorkspaceHere;
}

type OnProgress = (done: number, total: number) => void;

export async function runAct(
  context: Context,
  input: CommandInput,
  { store, here }: ActPlace,
  compile: (onProgress: OnProgress) => Promise<CompiledAct>,
): Promise<CommandEnd> {
  const isDryRun = isSet(input, "dryRun");
  tellAbout(context, here.workspace.root);
  const bar = watched(context);
  const options = { env: here.env, onProgress: bar.onProgress };
  try {
    await finishOrShowPlans(context, { store, here }, isDryRun);
    const compiled = await compile(bar.onProgress);
    const { draft } = compiled;
    const planned = await planDraft(store.raw, here.workspace, draft);
    bar.end();
    const view: ActView = {
      command: input.words.join("-"),
      compiled,
      outcome: planned,
      commit: null,
      typed: context.out.typed,
    };
    if (isDryRun) return tell(context, view, true);
    if (isNothing(draft, planned))
      return tell(context, { ...view, isNothing: !isShort(compiled, planned) }, false);
    const plan = { json: planJson(view), text: () => planLines(context, view) };
    if (!(await confirmed(context, plan))) {
      await context.out.result({
        command: view.command,
        json: actJson(view),
        text: () => ["Nothing was changed."],
      });
      return EXIT.failed;
    }
    let commit: string | null = null;
    const { reversal } = compiled;
    const write = async (of: ActReversal): Promise<PlanDraft> => {
      const made = await of.write();
      commit = made.commit;
      return made.draft;
    };
    const agreed = { draft, commit: compiled.commit, untouched: planned.untouched };
    const outcome = await holdAndApply(
      store.raw,
      here.workspace,
      { ...agreed, write: reversal && (() => write(reversal)) },
      options,
    );
    bar.end();
    return tell(context, { ...view, outcome, commit }, false);
  } finally {
    bar.end();
  }
}

/** Nothing would change, and no conflict keeps it from doing so either. A commit changes no path, but the index and a ref. */
function isNothing({ index = [], refs = [], isNoted = false }: PlanDraft, outcome: ActOutcome): boolean {
  if (outcome.kind === "refused" || outcome.paths.length > 0) return false;
  const isOfTree = index.length === 0 && refs.length === 0;
  return isOfTree && !(isNoted && outcome.conflicts.length === 0);
}

async function tell(context: Context, view: ActView, isDryRun: boolean): Promise<CommandEnd> {
  const { outcome, compiled } = view;
  if (outcome.kind === "refused") throw outcome.error;
  const isPlanOnly = outcome.kind === "planned" && isDryRun;
  await context.out.result({
    command: view.command,
    json: actJson(view),
    text: () => (isPlanOnly ? planLines(context, view) : doneLines(context, view)),
  });
  if (isDryRun) return EXIT.done;
  return isShort(compiled, outcome) ? EXIT.attention : EXIT.done;
}

/** Something that was asked for was not done. */
const isShort = ({ leftAlone, stuck = [] }: CompiledAct, outcome: ActOutcome): boolean =>
  stuck.length > 0 ||
  (outcome.kind !== "refused" && outcome.conflicts.length > 0) ||
  leftAlone.some(({ isConflict }) => isConflict);

/** S5: a command that may write first ends what a dead one began; where it may not, it shows what is open. */
export async function finishOrShowPlans(context: Context, place: ActPlace, isDryRun: boolean): Promise<void> {
  const { workspace, env } = place.here;
  const open = { store: place.store.raw, workspace, env };
  await finishOrShowOpen(open, { mayWrite: !isDryRun && mayAct(context) }, teller(context));
}
