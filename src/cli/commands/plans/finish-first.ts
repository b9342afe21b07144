/** S5: a command that may write first ends what a dead one began here: its plans, and a work tree it was bringing back. */
import { finishPlans } from "../../../acts/primitive/finish-plans.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { PathName } from "../../../model/path-name.ts";
import { finishRecreation, type RecreationEnd } from "../../../salvage/worktrees/recreate-removed.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { Workspace } from "../../../workspace/opening/workspace.ts";
import type { Context } from "../../context/context.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";

/** What came of bringing a work tree back, where that was to be ended. */
export async function finishFirst(
  context: Context,
  store: RefloatStore,
  workspace: Workspace,
): Promise<RecreationEnd | null> {
  for (const { plan, outcome } of await finishPlans(store.raw, workspace)) {
    const how = outcome === "done" ? "finished" : "taken back";
    context.out.narrate(
      `The plan ${shortId(plan.id)} (${plan.act}) of an earlier command was cut off; it was ${how}.`,
    );
  }
  const brought = await finishRecreation(store.raw, workspace, process.env);
  if (brought)
    for (const line of broughtLines(brought)) context.out.narrate(`refloat: ${context.out.typed(line)}`);
  return brought;
}

/** Names shown of paths that did not come back. */
const SHOWN_PATHS = 5;

export function broughtLines(brought: RecreationEnd): string[] {
  const { path, branch, head, capture, files, gaps, conflicts, isGivenUp } = brought;
  if (isGivenUp)
    return [
      `the work tree ${oneLine(path)} was being brought back, and its HEAD has moved since: what was captured stays in the store (refloat restore ${shortId(capture)})`,
    ];
  const where = branch === null ? `detached at ${head.slice(0, 12)}` : `on ${branch}`;
  const named = gaps.slice(0, SHOWN_PATHS).map(({ path: gap, why }) => `${shownPath(gap)} (${why})`);
  const more = gaps.length > SHOWN_PATHS ? `, and ${gaps.length - SHOWN_PATHS} more` : "";
  return [
    `the work tree ${oneLine(path)} is back, ${oneLine(where)}, with ${count(files, "file")} of capture ${shortId(capture)}`,
    ...(gaps.length === 0 ? [] : [`not held, so not back: ${oneLine(named.join(", "))}${more}`]),
    ...(conflicts.length === 0
      ? []
      : [`changed by somebody meanwhile, and left so: ${oneLine(shownPaths(conflicts))}`]),
  ];
}

export const shownPaths = (paths: readonly PathName[]): string =>
  paths.slice(0, SHOWN_PATHS).map(shownPath).join(", ");

/** For commands that begin work: where somebody else is just acting, the agent may start all the same. */
export async function finishFirstUnlessBusy(
  context: Context,
  store: RefloatStore,
  workspace: Workspace,
): Promise<void> {
  try {
    await finishFirst(context, store, workspace);
  } catch (thrown) {
    if (!(thrown instanceof RefloatError) || thrown.code !== "E_ACT_BUSY") throw thrown;
    context.out.narrate(`refloat: a plan is being carried out here by another command: ${thrown.message}`);
  }
}
