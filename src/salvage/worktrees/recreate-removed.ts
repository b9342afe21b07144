/**
 * `resume --recreate`: a work tree that somebody removed is brought back at its place and branch, with what the session's
 * last capture holds. What is on disk after each step, and what the next start does after a kill there:
 *  1. `worktree.recreating` in the journal of that place     nothing is changed; `resume --recreate` begins again
 *  2. git knows it, its place is empty                       goes on from there
 *  3. its tree is whole beside its place                     written once more, and it goes on
 *  4. it has its place, clean at its commit                  every command that may write there goes on with 5
 *  5. the plan that puts the captured files there is done    `refloat undo` takes them out again (S5)
 *  6. `worktree.recreated`
 * The captured files go on top of exactly the commit they were captured on, or not at all (gather-recreate.ts).
 */

import { statSync } from "node:fs";
import { actsSessionOf, withActsClaim } from "../../acts/plans/acts-session.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { ACT_LOCK_WAIT_MS } from "../../model/limits.ts";
import type { PathName } from "../../model/path-name.ts";
import { type BodyOf, bodyAs } from "../../model/record.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { endMarked } from "../../platform/marked-processes.ts";
import type { Environment } from "../../platform/places.ts";
import { placeInside } from "../../platform/places.ts";
import { randomId } from "../../platform/random.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import { lastCaptured } from "../../workspace/captures/captured-states.ts";
import { readHead } from "../../workspace/git/head.ts";
import { PLAN_MARK } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import { type BroughtFiles, bringCaptured } from "./bring-captured.ts";
import {
  decideRecreate,
  gatherRecreate,
  type RecreateFacts,
  type RecreateLook,
  type RecreateTo,
} from "./gather-recreate.ts";
import { placeWorktree } from "./place-worktree.ts";

type Recreation = BodyOf<"worktree.recreating">;

export interface RecreationEnd {
  readonly path: string;
  readonly session: SessionId;
  readonly branch: string | null;
  readonly head: string;
  readonly capture: string;
  /** Files of the capture that are there again. */
  readonly files: number;
  /** Paths the capture names and does not hold, or that somebody changed meanwhile: as they are. */
  readonly gaps: readonly { readonly path: PathName; readonly why: string }[];
  readonly conflicts: readonly PathName[];
  /** Its HEAD is not where it was put: nothing of the capture came, it stays in the store. */
  readonly isGivenUp: boolean;
}

/** What it would be; null: nothing is missing. Throws the refusal. */
export async function planRecreate(
  store: Store,
  row: SessionRow,
  env: Environment,
  to: RecreateTo | null = null,
): Promise<RecreateLook | null> {
  const place = to?.path ?? workspaceIn(row);
  if (!to && (await isOrdinaryPlace(store, row, place))) return null;
  const begun = await standingRecreation(store, place);
  const look = await gatherRecreate(store, row, { env, upTo: begun?.capture ?? null, to });
  if (to && look.facts.place === "there" && !(await wasRecreated(store, place, row.id)))
    throw new RefloatError("E_RECREATE_TAKEN", { session: row.id, path: place, capture: look.facts.capture });
  const decision = decideRecreate(look.facts);
  if (decision.kind === "refused") throw decision.error;
  return decision.kind === "nothing" ? null : look;
}

/** A folder that is there and was no linked work tree: there is nothing to bring back. */
async function isOrdinaryPlace(store: Store, { id }: SessionRow, place: string): Promise<boolean> {
  if (place === "" || !statSync(place, { throwIfNoEntry: false })?.isDirectory()) return false;
  const captured = await lastCaptured(store, id);
  const common = captured?.workspace.common_dir ?? null;
  return common === null || placeInside(place, common) !== null;
}

/** Null: the work tree is there; what an earlier start left to do is done (`settleRecreation`). */
export async function recreateRemoved(
  store: Store,
  row: SessionRow,
  env: Environment,
  to: RecreateTo | null = null,
): Promise<RecreationEnd | null> {
  const root = to?.path ?? String(row.facts.workspace);
  if ((await planRecreate(store, row, env, to)) === null)
    return to ? finishRecreation(store, openTrusted(store, root, env), env) : null;
  await withActsClaim(store, { kind: "folder", root }, async () => {
    const begun = await standingRecreation(store, root);
    if (begun) await endMarked(store.clock, PLAN_MARK, begun.removal, ACT_LOCK_WAIT_MS);
    // Looked at again under the claim: somebody else may have brought it back just now.
    const look = await planRecreate(store, row, env, to);
    if (!look) return;
    const { removal } = begun ?? (await record(store, look));
    crashPoint("recreate.after-record");
    await placeWorktree(look, look.facts.kept === null ? "register" : "keep", removal);
  });
  return finishRecreation(store, openTrusted(store, root, env), env);
}

/** Step 5 and 6 of one that has its place. Null: there is none to go on with. */
export async function finishRecreation(
  store: Store,
  workspace: Workspace,
  env: Environment,
): Promise<RecreationEnd | null> {
  const begun = await standingRecreation(store, workspace.root);
  if (!begun || workspace.kind === "folder") return null;
  const session = begun.session as SessionId;
  const now = await readHead(await workspace.repository());
  // The captured files belong on top of exactly that commit: where somebody went on from there, they are his to put back.
  const isGivenUp = now.id !== begun.head || now.branch !== begun.branch;
  const brought = isGivenUp ? NOTHING : await bringCaptured(store, workspace, { ...begun, session, env });
  crashPoint("recreate.before-settled");
  const { removal, path, branch, head, capture } = begun;
  const body = { removal, ...(isGivenUp ? { given_up: true } : {}) };
  await store.append(actsSessionOf(workspace), "anyone", [
    newRecord(store.clock, "worktree.recreated", body, `worktree-recreated:${removal}`),
  ]);
  return { path, session, branch, head, capture, isGivenUp, ...brought };
}

const NOTHING: BroughtFiles = { files: 0, gaps: [], conflicts: [] };

async function standingRecreation(store: Store, root: string): Promise<Recreation | null> {
  const session = actsSessionOf({ root });
  if (root === "" || !(await store.session(session))) return null;
  const kinds = ["worktree.recreating", "worktree.recreated"] as const;
  const [newest] = await store.records({ session, kinds, order: "backward", limit: 1 });
  return newest ? bodyAs(newest, "worktree.recreating") : null;
}

/** By us, for this session: whatever else has the place is somebody's. */
export async function wasRecreated(store: Store, root: string, session: SessionId): Promise<boolean> {
  const acts = actsSessionOf({ root });
  if (!(await store.session(acts))) return false;
  const [newest] = await store.records({
    ...{ session: acts, kinds: ["worktree.recreating"], order: "backward", limit: 1 },
  });
  return (newest && bodyAs(newest, "worktree.recreating")?.session) === session;
}

const record = (store: Store, { facts, repository }: RecreateLook): Promise<Recreation> =>
  recordRecreation(store, { ...facts, commonDir: repository.commonDir });

export async function recordRecreation(
  store: Store,
  about: Pick<RecreateFacts, "session" | "path" | "branch" | "head" | "capture"> & { commonDir: string },
): Promise<Recreation> {
  const { session, path, branch, head, capture } = about;
  const removal = randomId();
  const body = { removal, session, path, common_dir: about.commonDir, branch, head, capture };
  await store.append(actsSessionOf({ root: path }), "anyone", [
    newRecord(store.clock, "worktree.recreating", body, `worktree-recreating:${removal}`),
  ]);
  return body;
}
