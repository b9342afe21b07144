/**
 * The tree a session goes on in: its removed work tree is brought back before anything else (`--recreate`), and where its work is held
 * and not in that tree (W8), it is put back first, when somebody says so. Nothing is ever started on a tree without it.
 */

import { existsSync, statSync } from "node:fs";
import { actedInName } from "../../acts/plans/session-acts.ts";
import { RefloatError } from "../../model/errors.ts";
import { hostId } from "../../platform/identity.ts";
import { placeInside } from "../../platform/places.ts";
import type { RecreateLook } from "../../salvage/worktrees/gather-recreate.ts";
import { planRecreate, recreateRemoved } from "../../salvage/worktrees/recreate-removed.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import { shownPath } from "../../text/shown-path.ts";
import { lastCaptured } from "../../workspace/captures/captured-states.ts";
import { isAway, isOfSameRepository } from "../../workspace/captures/held-work.ts";
import { olderTree } from "../../workspace/captures/older-tree.ts";
import { assertNotJudged, judgedSession } from "../../workspace/trust/judged-session.ts";
import { openTrusted, openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import { whereabouts } from "../../workspace/unsettled/held-unsettled.ts";
import { finishOpen, finishOpenUnlessBusy, type OpenIn } from "../acts/finish-open.ts";
import { PUT_BACK } from "../acts/held.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type WorkspaceHere, workspaceAt, workspaceHere } from "../place/workspace-here.ts";
import { summaryOf } from "../sessions/find-session.ts";
import { sessionTree } from "../sessions/session-tree.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { Tell } from "../telling/news.ts";
import { assertResumable, placeOf } from "./resumable.ts";
import { movedHere, planTravel, type TravelWish, travel } from "./travel.ts";

/** Names shown of paths that did not come back. */
const SHOWN_PATHS = 5;

/** What others do for it. */
export interface ResumeTreeHands {
  /** False: whatever needs a yes is only said. */
  readonly mayAct: boolean;
  readonly tell: Tell;
  /** Puts held work into this tree, asked about unless it was told to. */
  putBack(store: RefloatStore, here: WorkspaceHere, row: SessionRow, isTold: boolean): Promise<void>;
}

/** Left out: the newest session of this repository that was cut off and whose work tree is gone. */
export async function removedHere(at: AppPlace, store: RefloatStore): Promise<SessionRow[]> {
  const { workspace } = await workspaceHere(at, store);
  const rows = await store.raw.sessions({});
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
  const place = workspaceIn({ facts });
  return place !== "" && !statSync(place, { throwIfNoEntry: false });
}

/** A work tree linked to a repository that is still there: git can make it anew. Any other is a clone somebody makes. */
export async function isLinkedTree(store: RefloatStore, { id }: SessionRow): Promise<boolean> {
  const captured = await lastCaptured(store.raw, id);
  const { common_dir: common = null, path = "" } = captured?.workspace ?? {};
  return common !== null && placeInside(path, common) === null && existsSync(common);
}

/** Where its held work would be put before it goes on; null: nothing is missing in its tree. */
export async function heldAway(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
): Promise<WorkspaceHere | null> {
  const place = String(row.facts.workspace ?? "");
  // Git can make it anew, at its own place: that comes before putting its work anywhere else.
  if (place !== "" && !existsSync(place) && (await isLinkedTree(store, row)))
    throw new RefloatError("E_WORKSPACE_GONE", { session: row.id, path: place });
  const found = await treeOf(at, store, row);
  if (!found) return null;
  const { workspace, env } = found;
  if (!isAway(row, workspace) && (await olderTree(store.raw, row, workspace, env)) === null) return null;
  const where = await whereabouts({ store: store.raw, workspace, row, env, findActed: actedInName });
  return where && where.away.length > 0 && !where.isBrought ? found : null;
}

/** The clone it would go on in, its own being gone: all its work is in that one's history, nothing of it is to be put back. Null: none. */
export async function cloneWithAll(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
): Promise<WorkspaceHere | null> {
  if (!isGone(row) || !(await isOfClone(at, store, row))) return null;
  const found = await treeOf(at, store, row);
  if (found?.workspace.kind !== "git") return null;
  const { workspace, env } = found;
  const where = await whereabouts({ store: store.raw, workspace, row, env, findActed: actedInName });
  return where && where.away.length === 0 && where.held.missing.length === 0 ? found : null;
}

/** As it was, at its place here. Fenced: one that was taken by another meanwhile is not called here (K1). */
async function goOnHere(at: AppPlace, store: RefloatStore, row: SessionRow, tell: Tell): Promise<SessionRow> {
  const here = await cloneWithAll(at, store, row);
  if (!here) return row;
  await assertNotJudged(at.env, store.raw, "let a session go on in another clone");
  const { root } = here.workspace;
  const from = workspaceIn(row);
  await movedHere(store.raw, row, { from, to: root, reason: PUT_BACK, host: hostId() });
  tell({ kind: "moved-here", from, root });
  return { ...row, facts: { ...row.facts, workspace: root, host: hostId() } };
}

const treeOf = (at: AppPlace, store: RefloatStore, row: SessionRow): Promise<WorkspaceHere | null> =>
  sessionTree(row, at.place(), (place) => workspaceAt(at, store, place));

interface TreeWish {
  /** By --recreate. */
  readonly isTold: boolean;
  readonly isNamed: boolean;
  readonly hands: ResumeTreeHands;
  readonly wish: TravelWish;
}

/** The session as it was before its tree was made ready, at the place it has then: put into another clone, it goes on there. */
export async function treeForResume(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  { isTold, isNamed, hands, wish }: TreeWish,
): Promise<SessionRow> {
  const plan = await planTravel(at, store, row, wish);
  if (plan) {
    if (!isTold && !hands.mayAct)
      throw new RefloatError("E_RESUME_HELD", { session: row.id, path: at.place() });
    return travel(at, store, row, plan, hands);
  }
  const isAnywhere = await isOfClone(at, store, row);
  if (isTold && (!isAnywhere || (await isLinkedTree(store, row))))
    await recreateFirst(at, store, row, { isNamed, hands });
  // What a killed start left of bringing its tree back is ended before anybody asks what is missing in it (S5).
  const own = openTrustedOrNull(store.raw, String(row.facts.workspace ?? ""), at.env);
  if (own) await finishOpenUnlessBusy({ store: store.raw, workspace: own, env: at.env }, hands.tell);
  const here = await heldAway(at, store, row);
  if (!here) return isTold ? goOnHere(at, store, row, hands.tell) : row;
  if (!isTold && !hands.mayAct)
    throw new RefloatError("E_RESUME_HELD", { session: row.id, path: here.workspace.root });
  await hands.putBack(store, here, row, isTold);
  const { facts } = (await store.raw.session(row.id)) ?? row;
  return { ...row, facts };
}

/** False: neither its own place nor the one somebody stands in is a tree of its repository. */
async function isOfClone(at: AppPlace, store: RefloatStore, row: SessionRow): Promise<boolean> {
  try {
    return (await treeOf(at, store, row)) !== null;
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_WORKSPACE_GONE") return false;
    throw thrown;
  }
}

async function recreateFirst(
  { env }: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  { isNamed, hands }: { isNamed: boolean; hands: ResumeTreeHands },
): Promise<void> {
  const marked = await judgedSession(env, store.raw);
  if (marked !== null)
    throw new RefloatError("E_UNDER_MARK", { session: marked, what: "bring work trees back" });
  await assertMayGoOn(store, row, isNamed);
  const brought = await recreateRemoved(store.raw, row, env);
  if (brought) hands.tell({ kind: "worktree-back", end: brought });
  // It is there: only what a killed start left of bringing it back may be to do.
  const open = (): OpenIn => ({
    store: store.raw,
    workspace: openTrusted(store.raw, placeOf(row), env),
    env,
  });
  const last = brought ?? (await finishOpen(open(), hands.tell));
  if (!last || last.conflicts.length === 0) return;
  const { conflicts, path, capture, session } = last;
  const paths = conflicts.slice(0, SHOWN_PATHS).map(shownPath).join(", ");
  throw new RefloatError("E_RECREATE_CHANGED", { count: conflicts.length, paths, path, capture, session });
}

/** Before anything is brought back: a session that is over, live or suspended is not gone on with. */
export async function assertMayGoOn(store: RefloatStore, row: SessionRow, isNamed: boolean): Promise<void> {
  const summary = await summaryOf(store, row);
  const workspace = String(row.facts.workspace ?? "");
  assertResumable(row, summary, await store.raw.sessions({ workspace }), isNamed);
}

/** What would be brought back. Null: nothing is missing. */
export async function recreatePlan(
  { env }: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  isNamed: boolean,
): Promise<RecreateLook | null> {
  await assertMayGoOn(store, row, isNamed);
  return planRecreate(store.raw, row, env);
}
