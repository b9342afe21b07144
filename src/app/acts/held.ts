/** A session's held work and the tree somebody wants it in: what is put back there, or copied out, and whose tree it is then (W8). */
import { compileBring, gatherBring } from "../../acts/compilers/bring.ts";
import { gatherRestore } from "../../acts/compilers/gather-restore.ts";
import { wantedPaths } from "../../acts/compilers/put-back.ts";
import { compileRestore } from "../../acts/compilers/restore.ts";
import { actedInName } from "../../acts/plans/session-acts.ts";
import { planDraft } from "../../acts/primitive/apply-draft.ts";
import { holdAndApply } from "../../acts/primitive/hold-and-apply.ts";
import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import { hostId } from "../../platform/identity.ts";
import { noClone } from "../../salvage/changes/owned-changes.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { count } from "../../text/counting.ts";
import { oneLine } from "../../text/escape.ts";
import { type HeldWork, heldWork, isAway, isOfSameRepository } from "../../workspace/captures/held-work.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { sessionsWithSay } from "../../workspace/sessions/workspace-sessions.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type WorkspaceHere, workspaceAt, workspaceHere } from "../place/workspace-here.ts";
import { sessionTree } from "../sessions/session-tree.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { Tell } from "../telling/news.ts";
import type { ActPlace, Ask, PlannedAct } from "./act.ts";
import type { CompiledAct } from "./compiled-act.ts";

/** `session.moved` of a session whose own tree is no more, put into another one here: it did not come from another machine. */
export const PUT_BACK = "its work was put back here";

/** Where a session's work is put by its id: here, if this is a clone of its repository; else where its work is looked at. */
export async function treeToFill(at: AppPlace, store: RefloatStore, row: SessionRow): Promise<WorkspaceHere> {
  const here = await workspaceHere(at, store);
  const isOfFolder = row.facts.captured_head === undefined && here.workspace.kind === "folder";
  if (isOfFolder || (await isOfSameRepository(row, here.workspace))) return here;
  return (await sessionTree(row, at.place(), (place) => workspaceAt(at, store, place))) ?? here;
}

/** Throws E_NO_CAPTURE where nothing is held, and E_HELD_ELSEWHERE where it lies on no commit that is here. */
export async function heldFor(
  store: RefloatStore,
  row: SessionRow,
  workspace: Workspace,
  { isCopy = false }: { readonly isCopy?: boolean } = {},
): Promise<HeldWork> {
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const held = await heldWork(store.raw, row.id, repository);
  if (!held) throw new RefloatError("E_NO_CAPTURE", { what: `of session ${row.id}` });
  const isBaseless = held.head?.id != null && (held.base === null || !repository);
  if (isBaseless && !isCopy) throw noClone(held);
  return held;
}

/** The session's work put back here. In its own tree as any capture; in another only onto what nobody changed there (W5). */
export async function compileHeld(
  { store, here }: ActPlace,
  row: SessionRow,
  named: readonly PathName[],
): Promise<CompiledAct> {
  const { workspace, env } = here;
  const held = await heldFor(store, row, workspace);
  const { capture, atMs, path, missing, base } = held;
  const source = { id: capture, session: row.id, reading: held.reading, headId: base };
  const subject = { kind: "held", session: held.session, capture, atMs } as const;
  const how = { word: "restore", commit: base } as const;
  if (!isAway(row, workspace)) {
    const rows = await sessionsWithSay(store.raw, [workspace.root, here.place], row);
    const options = { store: store.raw, workspace, env, rows };
    const compiled = compileRestore(await gatherRestore(options, source, named));
    return { ...compiled, ...how, subject: { ...subject, away: null } };
  }
  const { puts, leftAlone } = compileBring(
    await gatherBring(store.raw, workspace, source, env),
    wantedPaths(named),
  );
  const draft = { act: "restore", session: row.id, puts, data: { capture } } as const;
  return { draft, leftAlone, ...how, subject: { ...subject, away: { path, missing } } };
}

/** Its own tree is no more, and some of its work is in this one now: it goes on here. */
export async function moveIfPutBack(
  store: RefloatStore,
  row: SessionRow,
  { workspace, env }: WorkspaceHere,
): Promise<void> {
  const from = String(row.facts.workspace ?? "");
  const isOwn = openTrustedOrNull(store.raw, from, env);
  if (!isAway(row, workspace) || (isOwn !== null && (isOwn.root === workspace.root || !isAway(row, isOwn))))
    return;
  const acted = await actedInName(store.raw, workspace, row.id, [workspace.root]);
  if (![...acted.values()].some(({ kind }) => kind === "brought")) return;
  const body = { from, to: workspace.root, reason: PUT_BACK, host: hostId() };
  await store.raw.append(row.id, "anyone", [newRecord(store.raw.clock, "session.moved", body)]);
}

/**
 * Before a session's held work is settled or gone on with in another tree than it was done in, it is put into that one, by a plan of
 * its own, shown and asked about (`ask`: null: it was said already). All of it or nothing: half of somebody's work is not
 * settled as if it were whole (W8).
 */
export async function putBackFirst(
  place: ActPlace,
  row: SessionRow,
  ask: Ask<PlannedAct> | null,
  tell: Tell,
): Promise<void> {
  const { store, here } = place;
  const { workspace, env } = here;
  await assertNotJudged(env, store.raw, "put held work back");
  const compiled = await compileHeld(place, row, []);
  const { draft, commit } = compiled;
  const planned = await planDraft(store.raw, workspace, draft);
  assertFits(row, workspace, [...planned.conflicts, ...compiled.leftAlone]);
  if (ask && (await ask({ here, compiled, outcome: planned })) === "no")
    throw new RefloatError("E_HELD_NOT_HERE", { session: row.id, path: workspace.root });
  const outcome = await holdAndApply(store.raw, workspace, { draft, commit }, { env });
  if (outcome.kind === "refused") throw outcome.error;
  await moveIfPutBack(store, row, here);
  const plan = outcome.kind === "done" ? outcome.plan : null;
  tell({ kind: "put-back", root: workspace.root, paths: outcome.paths.length, plan });
}

function assertFits(
  { id }: SessionRow,
  { root }: Workspace,
  inTheWay: readonly { readonly path: PathName; readonly why: string | null }[],
): void {
  const [first, ...others] = inTheWay;
  if (!first) return;
  const what = `${oneLine(first.path)}: ${first.why ?? "it changed meanwhile"}`;
  const more = others.length > 0 ? ` (and ${count(others.length, "more", "more")})` : "";
  throw new RefloatError("E_HELD_CONFLICT", { session: id, path: root, what: `${what}${more}` });
}
