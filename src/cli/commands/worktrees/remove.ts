/** `worktrees remove (PATH... | --removable)`: removes work trees that may go, each held whole first; `undo` brings all of them back. */

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { plansOf } from "../../../acts/plans/plans.ts";
import { type WorkspaceHere, workspaceHere } from "../../../app/place/workspace-here.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { assertGit, worktreesHere } from "../../../app/worktrees/worktrees.ts";
import { RefloatError } from "../../../model/errors.ts";
import { standingRemovals } from "../../../salvage/worktrees/recreate-worktree.ts";
import {
  finishRemoval,
  type RemovedWorktree,
  removeWorktree,
} from "../../../salvage/worktrees/remove-worktree.ts";
import type { WorktreeVerdict } from "../../../salvage/worktrees/worktrees.ts";
import type { GitWorkspace } from "../../../workspace/opening/workspace.ts";
import { judgedSession } from "../../../workspace/trust/judged-session.ts";
import { openTrusted } from "../../../workspace/trust/open-trusted.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, mayAct } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, listArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count, oneLine } from "../../screen/words.ts";

interface RemovalOutcome {
  readonly path: string;
  readonly removal: string | null;
  /** One for all of an order, also with those that a killed command had begun: `undo` takes all of it back. */
  readonly plan: string | null;
  readonly files: number;
  readonly dropped: number;
}

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const isDryRun = isSet(input, "dryRun");
  if (!isDryRun && mayAct(context)) await context.openOrMakeStore();
  const found = await context.findStore();
  const here = await workspaceHere(context, found);
  const marked = await judgedSession(here.env, found?.raw ?? null);
  if (marked !== null && !isDryRun)
    throw new RefloatError("E_UNDER_MARK", { session: marked, what: "remove work trees" });
  const from = assertGit(here);
  const isAll = isSet(input, "removable");
  const typed = listArgument(input, 0);
  if (isAll === typed.length > 0) throw usage("Name the work trees to remove, or say --removable.");
  const known = !isDryRun && mayAct(context) ? await context.openOrMakeStore() : null;
  const done = known ? await finishCutOff(known, from, here, isAll ? null : typed) : [];
  const rest = typed.filter((one) => !done.some(({ path }) => path === realPath(here.place, one)));
  if (!isAll && rest.length === 0 && done.length > 0) return tell(context, done, true);
  const all = await worktreesHere(context, here, from);
  const verdicts = isAll
    ? all.filter(({ verdict }) => verdict === "removable")
    : asked(all, here.place, rest);
  if (verdicts.length === 0) return done.length > 0 ? tell(context, done, true) : nothingToRemove(context);
  const planned = verdicts.map(({ path }) => ({ path, removal: null, plan: null, files: 0, dropped: 0 }));
  if (isDryRun) return tell(context, planned, false);
  const plan = {
    json: planOf(planned),
    text: () => planned.map(({ path }) => `remove  ${oneLine(path)}`),
  };
  if (!(await confirmed(context, plan))) return EXIT.failed;
  const store = await context.openOrMakeStore();
  for (const verdict of verdicts) {
    const linked = openTrusted(store.raw, verdict.path, here.env);
    if (linked.kind === "folder")
      throw new RefloatError("E_NOT_REMOVABLE", { path: verdict.path, why: "it is gone" });
    const removed: RemovedWorktree = await removeWorktree({
      store: store.raw,
      from,
      linked,
      verdict,
      env: here.env,
      plan: done.at(-1)?.plan ?? null,
      dropsIgnored: isSet(input, "dropIgnored"),
    });
    done.push({ path: verdict.path, plan: done.at(-1)?.plan ?? removed.removal, ...removed });
  }
  return tell(context, done, true);
}

/** Each of them must be removable: one that is not stops all of it before anything goes. */
function asked(
  verdicts: readonly WorktreeVerdict[],
  place: string,
  typed: readonly string[],
): WorktreeVerdict[] {
  return typed.map((path) => {
    const real = realPath(place, path);
    const found = verdicts.find((one) => one.path === real);
    if (!found)
      throw new RefloatError("E_NOT_REMOVABLE", { path, why: "it is no work tree of this repository" });
    if (found.verdict === "keep")
      throw new RefloatError("E_NOT_REMOVABLE", { path, why: found.reasons.join("; ") });
    return found;
  });
}

/** S5: a removal that was killed before git had forgotten its work tree is brought to its end first. */
async function finishCutOff(
  store: RefloatStore,
  from: GitWorkspace,
  { env, place }: WorkspaceHere,
  typed: readonly string[] | null,
): Promise<RemovalOutcome[]> {
  const done: RemovalOutcome[] = [];
  const standing = await standingRemovals(store.raw, from);
  const paths = typed?.map((one) => realPath(place, one)) ?? standing.map(({ path }) => path);
  for (const path of paths) {
    const one = standing.find((removal) => removal.path === path);
    if (!one || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) continue;
    const linked = openTrusted(store.raw, path, env);
    if (linked.kind === "folder" || linked.root !== path) continue;
    for await (const plan of plansOf(store.raw, linked)) {
      // Its own last act, in this very tree: else it was removed for good, and another lies here now.
      const isCutOff = !plan.isOfOtherTree && plan.data.removal === one.removal;
      const removed = isCutOff ? await finishRemoval(store.raw, from, linked, one) : null;
      if (removed) done.push({ path, plan: one.plan ?? one.removal, ...removed });
      break;
    }
  }
  return done;
}

function realPath(place: string, path: string): string {
  const full = resolve(place, path);
  return statSync(full, { throwIfNoEntry: false }) ? realpathSync(full) : full;
}

/** As every act shows its plan (DESIGN 10): each work tree is a group of its own and goes whole. */
const planOf = (outcomes: readonly RemovalOutcome[]): Record<string, unknown> => ({
  id: outcomes.at(-1)?.plan ?? null,
  session: null,
  acts: outcomes.map(({ path, removal }) => ({ group: removal ?? path, act: "discard", paths: [path] })),
});

async function nothingToRemove(context: Context): Promise<CommandEnd> {
  await context.out.result({
    command: "worktrees-remove",
    json: { plan: planOf([]), done: true, conflicts: [], commit: null, undo: null, worktrees: [] },
    text: () => [
      context.out.typed(
        "No work tree may go without losing something. `refloat worktrees` says why of each.",
      ),
    ],
  });
  return EXIT.done;
}

async function tell(
  context: Context,
  outcomes: readonly RemovalOutcome[],
  isDone: boolean,
): Promise<CommandEnd> {
  const { green, dim } = context.out.style;
  await context.out.result({
    command: "worktrees-remove",
    json: {
      plan: planOf(outcomes),
      done: isDone,
      conflicts: [],
      commit: null,
      undo: isDone ? context.out.typed("refloat undo") : null,
      worktrees: outcomes.map(({ plan: _plan, ...outcome }) => outcome),
    },
    text: () => [
      ...outcomes.map(({ path, files, dropped }) =>
        isDone
          ? `${green("removed")}  ${oneLine(path)}  ${dim(`${count(files, "file")} held${dropped > 0 ? `, ${dropped} ignored ones let go` : ""}`)}`
          : `remove  ${oneLine(path)}`,
      ),
      ...(isDone ? [dim(context.out.typed("Taken back by: refloat undo"))] : []),
    ],
  });
  return EXIT.done;
}
