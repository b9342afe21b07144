/** `undo` where the newest act here is the removal of work trees: all of one order are brought back (recreate-worktree.ts). */

import { historyOf } from "../../../acts/plans/history.ts";
import type { Conflict } from "../../../acts/plans/outcome.ts";
import { type Plan, plansOf } from "../../../acts/plans/plans.ts";
import { type WorkspaceHere, workspaceHere } from "../../../app/place/workspace-here.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import {
  type Removal,
  recreateWorktree,
  standingRemovals,
} from "../../../salvage/worktrees/recreate-worktree.ts";
import { byBeginning } from "../../../text/by-beginning.ts";
import { shellWord } from "../../../text/shell-word.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { GitWorkspace } from "../../../workspace/opening/workspace.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { count, oneLine } from "../../screen/words.ts";
import { conflictJson } from "../plans/act-view.ts";

/** Null: something else is to be undone. */
export async function undoRemoval(context: Context, input: CommandInput): Promise<CommandEnd | null> {
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  if (!store || here.workspace.kind === "folder") return null;
  const removals = await removalsMeant(store, here.workspace, textOption(input, "plan"));
  return removals.length > 0
    ? bringBack(context, input, { store, here, from: here.workspace }, removals)
    : null;
}

const planOf = ({ plan, removal }: Removal): string => plan ?? removal;

/** All of the newest order that still stand, newest first; typed: those of the order, or the one of that id. */
async function removalsMeant(
  store: RefloatStore,
  from: GitWorkspace,
  typed: string | null,
): Promise<readonly Removal[]> {
  const standing = await standingRemovals(store.raw, from);
  if (typed !== null) {
    const ordered = byBeginning(standing, typed, planOf);
    return ordered.length > 0 ? ordered : byBeginning(standing, typed, ({ removal }) => removal).slice(0, 1);
  }
  const [newest] = standing;
  if (!newest) return [];
  const later: Plan[] = [];
  for await (const plan of plansOf(store.raw, from)) {
    if (plan.seq < newest.seq) break;
    later.push(plan);
  }
  // What was done since and taken back again is not in its way.
  if (historyOf(later).standing.length > 0) return [];
  return standing.filter((one) => planOf(one) === planOf(newest));
}

async function bringBack(
  context: Context,
  input: CommandInput,
  {
    store,
    here,
    from,
  }: { readonly store: RefloatStore; readonly here: WorkspaceHere; readonly from: GitWorkspace },
  removals: readonly Removal[],
): Promise<CommandEnd> {
  const titles = removals.map(
    ({ path, files }) => `Bring the work tree ${oneLine(path)} back: ${count(files, "file")}`,
  );
  const paths = removals.map(({ path }) => path);
  const plan = (isDone: boolean): Record<string, unknown> => ({
    id: isDone && removals[0] ? planOf(removals[0]) : null,
    session: null,
    acts: removals.map(({ removal, path }) => ({ group: removal, act: "restore", paths: [path] })),
  });
  const back: string[] = [];
  const conflicts: Conflict[] = [];
  const detached: { path: string; why: string }[] = [];
  const json = (isDone: boolean): Record<string, unknown> => ({
    plan: plan(isDone),
    done: isDone,
    conflicts: conflicts.map(conflictJson),
    commit: null,
    undo: isDone ? context.out.typed(`refloat worktrees remove ${paths.map(shellWord).join(" ")}`) : null,
    left: [],
    already: [],
    ...(detached.length > 0 ? { detached } : {}),
  });
  const tell = async (isDone: boolean, lines: readonly string[]): Promise<void> =>
    context.out.result({ command: "undo", json: json(isDone), text: () => [...lines] });
  if (isSet(input, "dryRun")) {
    await tell(false, titles);
    return EXIT.done;
  }
  if (!(await confirmed(context, { json: plan(false), text: () => titles }))) {
    await tell(false, ["Nothing was changed."]);
    return EXIT.failed;
  }
  for (const removal of removals) {
    const { path } = removal;
    const recreated = await recreateWorktree(store.raw, from, removal, here.env);
    const { files, detached: why } = recreated;
    conflicts.push(...recreated.conflicts);
    if (recreated.conflicts.length > 0) {
      back.push(...conflictLines(context, path, recreated.conflicts));
      continue;
    }
    back.push(`Done. ${oneLine(path)} is back, with ${count(files, "file")}.`);
    if (why === null) continue;
    detached.push({ path, why });
    const text = `It is at its commit, on no branch: ${oneLine(why)}.`;
    back.push(...hanging(text, "  ", context.out.columns));
  }
  await tell(conflicts.length === 0, back);
  return conflicts.length > 0 ? EXIT.attention : EXIT.done;
}

/** Paths on a screen; the JSON has them all. */
const MAX_CONFLICTS = 10;

function conflictLines({ out }: Context, path: string, conflicts: readonly Conflict[]): string[] {
  const text = `${oneLine(path)} is not brought back: something else is there. Move it away, then undo again.`;
  const more = conflicts.length - MAX_CONFLICTS;
  return [
    ...hanging(out.style.yellow(text), "  ", out.columns),
    ...conflicts.slice(0, MAX_CONFLICTS).map((one) => `  ${shownPath(one.path)}`),
    ...(more > 0 ? [`  and ${count(more, "more", "more")}`] : []),
  ];
}
