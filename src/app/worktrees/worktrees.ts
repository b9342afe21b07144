/** The verdicts on work trees: `removable` only on proof (S7). Of this repository, or of every one that the store's sessions worked in. Reads only. */

import { RefloatError } from "../../model/errors.ts";
import { gatherWorktrees, judgeWorktree, type WorktreeVerdict } from "../../salvage/worktrees/worktrees.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import { parkedFrom } from "../acts/parked.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type WorkspaceHere, workspaceHere } from "../place/workspace-here.ts";

export async function listWorktreesOf(
  at: AppPlace,
  which: "repository" | "all",
): Promise<readonly WorktreeVerdict[]> {
  if (which === "all") return everywhere(at);
  const here = await workspaceHere(at, await at.findStore());
  return worktreesHere(at, here, assertGit(here));
}

/** Throws E_NO_GIT in a plain folder: there are no work trees. */
export function assertGit({ workspace }: WorkspaceHere): GitWorkspace {
  if (workspace.kind === "git") return workspace;
  throw new RefloatError("E_NO_GIT", { path: workspace.root, why: "there are no work trees" });
}

export async function worktreesHere(
  at: AppPlace,
  { env, place }: WorkspaceHere,
  workspace: GitWorkspace,
): Promise<WorktreeVerdict[]> {
  const store = (await at.findStore())?.raw ?? null;
  const facts = await gatherWorktrees(await workspace.repository(), store, {
    env,
    place,
    parkedFrom: (root) => parkedFrom(store, root, env),
  });
  return facts.map(judgeWorktree);
}

/** The repositories of every session the store knows, each once. Those that are gone are left out. */
async function everywhere(at: AppPlace): Promise<WorktreeVerdict[]> {
  const store = await at.findStore();
  const here = await workspaceHere(at, store);
  const places = new Set([here.place]);
  for (const row of (await store?.raw.sessions()) ?? []) {
    if (typeof row.facts.workspace === "string" && row.facts.workspace !== "")
      places.add(row.facts.workspace);
  }
  const found = new Map<string, GitWorkspace>();
  for (const place of places) {
    // A repository that leads elsewhere is nobody's to list here; whoever stands in it is told.
    const workspace = openTrustedOrNull(store?.raw ?? null, place, here.env);
    if (workspace?.kind === "git") found.set(workspace.location.commonDir, workspace);
  }
  const all: WorktreeVerdict[] = [];
  for (const workspace of found.values()) all.push(...(await worktreesHere(at, here, workspace)));
  return all;
}
