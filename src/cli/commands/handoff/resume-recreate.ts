/** `resume --recreate`: the session's removed work tree is back before anything else of the resume is done. */

import { existsSync, statSync } from "node:fs";
import type { OpenIn } from "../../../app/acts/finish-open.ts";
import { finishOpen } from "../../../app/acts/finish-open.ts";
import { workspaceHere } from "../../../app/place/workspace-here.ts";
import { assertResumable, placeOf } from "../../../app/run/resumable.ts";
import { summaryOf } from "../../../app/sessions/find-session.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import { pathForDisplay } from "../../../model/path-name.ts";
import { placeInside } from "../../../platform/places.ts";
import type { RecreateLook } from "../../../salvage/worktrees/gather-recreate.ts";
import { planRecreate, recreateRemoved } from "../../../salvage/worktrees/recreate-removed.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { usersSessions } from "../../../workflow/own-journal.ts";
import { lastCaptured } from "../../../workspace/captures/captured-states.ts";
import { isAway, isOfSameRepository } from "../../../workspace/captures/held-work.ts";
import { judgedSession } from "../../../workspace/trust/judged-session.ts";
import { openTrusted } from "../../../workspace/trust/open-trusted.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { shownPaths } from "../../screen/news-lines.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";

/** Left out: the newest session of this repository that was cut off and whose work tree is gone. */
export async function removedHere(context: Context, store: RefloatStore): Promise<SessionRow[]> {
  const { workspace } = await workspaceHere(context, store);
  const rows = usersSessions(await store.raw.sessions({}));
  const cutOff = (await store.describe(rows)).filter(({ state }) => state === "interrupted");
  for (const { id } of cutOff) {
    const row = rows.find((one) => one.id === id);
    if (!row) continue;
    const isAt = placeInside(workspace.root, String(row.facts.workspace ?? "")) !== null;
    if (isAt && isAway(row, workspace)) return [row];
    if (isGone(row) && (await isOfSameRepository(row, workspace))) return [row];
  }
  throw new RefloatError("E_RESUME_NONE", { where: "in a removed work tree of this repository" });
}

function isGone({ facts }: SessionRow): boolean {
  const place = typeof facts.workspace === "string" ? facts.workspace : "";
  return place !== "" && !statSync(place, { throwIfNoEntry: false });
}

/** A work tree linked to a repository that is still there: git can make it anew. Any other is a clone somebody makes. */
export async function isLinkedTree(store: RefloatStore, { id }: SessionRow): Promise<boolean> {
  const captured = await lastCaptured(store.raw, id);
  const { common_dir: common = null, path = "" } = captured?.workspace ?? {};
  return common !== null && placeInside(path, common) === null && existsSync(common);
}

export async function recreateFirst(
  context: Context,
  store: RefloatStore,
  row: SessionRow,
  isNamed: boolean,
): Promise<void> {
  const marked = await judgedSession(process.env, store.raw);
  if (marked !== null)
    throw new RefloatError("E_UNDER_MARK", { session: marked, what: "bring work trees back" });
  await assertMayGoOn(store, row, isNamed);
  const brought = await recreateRemoved(store.raw, row, process.env);
  const tell = teller(context);
  if (brought) tell({ kind: "worktree-back", end: brought });
  // It is there: only what a killed start left of bringing it back may be to do.
  const last = brought ?? (await finishOpen(openAt(store, placeOf(row), context.env), tell));
  if (!last || last.conflicts.length === 0) return;
  const { conflicts, path, capture, session } = last;
  const paths = shownPaths(conflicts);
  throw new RefloatError("E_RECREATE_CHANGED", { count: conflicts.length, paths, path, capture, session });
}

const openAt = ({ raw }: RefloatStore, place: string, env: NodeJS.ProcessEnv): OpenIn => ({
  store: raw,
  workspace: openTrusted(raw, place, env),
  env,
});

/** Before anything is brought back: a session that is over, live or suspended is not gone on with. */
export async function assertMayGoOn(store: RefloatStore, row: SessionRow, isNamed: boolean): Promise<void> {
  const summary = await summaryOf(store, row);
  const workspace = String(row.facts.workspace ?? "");
  assertResumable(row, summary, await store.raw.sessions({ workspace }), isNamed);
}

/** For `--print`: what would be brought back. Null: nothing is missing. */
export async function recreatePlan(
  store: RefloatStore,
  row: SessionRow,
  isNamed: boolean,
): Promise<RecreateLook | null> {
  await assertMayGoOn(store, row, isNamed);
  return planRecreate(store.raw, row, process.env);
}

export const recreateJson = ({ facts, captured }: RecreateLook): Record<string, unknown> => ({
  branch: facts.branch,
  head: facts.head,
  capture: facts.capture,
  paths: captured.reading.entries.length,
  gaps: captured.reading.gaps.map(({ path, detail }) => ({ path: pathForDisplay(path), why: detail })),
});

export function recreateLine({ facts, captured }: RecreateLook): string {
  const where = facts.branch === null ? `detached at ${facts.head.slice(0, 12)}` : `on ${facts.branch}`;
  const files = count(captured.reading.entries.length, "path");
  return `# the work tree is gone; it would be brought back ${oneLine(where)}, with ${files} of capture ${shortId(facts.capture)}`;
}
