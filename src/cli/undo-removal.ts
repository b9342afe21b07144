/** `undo` where the newest act here is the removal of a work tree: it is brought back (recreate-worktree.ts). */

import { historyOf } from "../acts/history.ts";
import { plansOf } from "../acts/plans.ts";
import type { RefloatStore } from "../library/open-store.ts";
import { type Removal, recreateWorktree, standingRemovals } from "../salvage/recreate-worktree.ts";
import type { GitWorkspace } from "../salvage/remove-worktree.ts";
import type { Ending } from "./command-spec.ts";
import { confirmed } from "./confirm.ts";
import type { Context } from "./context.ts";
import { EXIT } from "./exit-code.ts";
import { type CommandInput, isSet, textOption } from "./options.ts";
import { count, oneLine } from "./words.ts";
import { type Here, workspaceHere } from "./workspace-here.ts";

const MIN_PREFIX_CHARS = 4;

/** Null: something else is to be undone. */
export async function undoRemoval(context: Context, input: CommandInput): Promise<Ending | null> {
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  if (!store || here.workspace.kind === "folder") return null;
  const removal = await removalMeant(store, here.workspace, textOption(input, "plan"));
  return removal ? bringBack(context, input, { store, here, from: here.workspace }, removal) : null;
}

async function removalMeant(
  store: RefloatStore,
  from: GitWorkspace,
  typed: string | null,
): Promise<Removal | null> {
  const standing = await standingRemovals(store.raw, from);
  if (typed !== null) {
    const isMeant = ({ removal }: Removal): boolean =>
      removal === typed || (typed.length >= MIN_PREFIX_CHARS && removal.startsWith(typed));
    return standing.find(isMeant) ?? null;
  }
  const [newest] = standing;
  if (!newest) return null;
  for await (const plan of plansOf(store.raw, from)) {
    if (plan.seq < newest.seq) break;
    if (historyOf([plan]).standing.length > 0) return null;
  }
  return newest;
}

async function bringBack(
  context: Context,
  input: CommandInput,
  { store, here, from }: { readonly store: RefloatStore; readonly here: Here; readonly from: GitWorkspace },
  removal: Removal,
): Promise<Ending> {
  const title = `Bring the work tree ${oneLine(removal.path)} back: ${count(removal.files, "file")}`;
  const plan = (isDone: boolean): Record<string, unknown> => ({
    id: isDone ? removal.removal : null,
    session: null,
    acts: [{ group: removal.removal, act: "restore", paths: [removal.path] }],
  });
  const json = (isDone: boolean): Record<string, unknown> => ({
    plan: plan(isDone),
    done: isDone,
    conflicts: [],
    commit: null,
    undo: isDone ? `refloat worktrees remove ${removal.path}` : null,
    left: [],
    already: [],
  });
  const tell = async (isDone: boolean, line: string): Promise<void> =>
    context.out.result({ command: "undo", json: json(isDone), text: () => [line] });
  if (isSet(input, "dryRun")) {
    await tell(false, title);
    return EXIT.done;
  }
  if (!(await confirmed(context, { json: plan(false), text: () => [title] }))) {
    await tell(false, "Nothing was changed.");
    return EXIT.failed;
  }
  const { files } = await recreateWorktree(store.raw, from, removal, here.env);
  await tell(true, `Done. ${oneLine(removal.path)} is back, with ${count(files, "file")}.`);
  return EXIT.done;
}
