/** A session's held work and the tree somebody wants it in: what is put back there, or copied out, and whose tree it is then (W8). */
import { compileBring, gatherBring } from "../../../acts/compilers/bring.ts";
import { gatherRestore } from "../../../acts/compilers/gather-restore.ts";
import { wantedPaths } from "../../../acts/compilers/put-back.ts";
import { compileRestore } from "../../../acts/compilers/restore.ts";
import { actedInName } from "../../../acts/plans/session-acts.ts";
import type { CompiledAct } from "../../../app/acts/compiled-act.ts";
import { PUT_BACK } from "../../../app/acts/put-back-reason.ts";
import { type WorkspaceHere, workspaceAt, workspaceHere } from "../../../app/place/workspace-here.ts";
import { sessionTree } from "../../../app/sessions/session-tree.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { PathName } from "../../../model/path-name.ts";
import { noClone } from "../../../salvage/changes/owned-changes.ts";
import { newRecord } from "../../../session/new-record.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import {
  type HeldWork,
  heldWork,
  isAway,
  isOfSameRepository,
} from "../../../workspace/captures/held-work.ts";
import type { Workspace } from "../../../workspace/opening/workspace.ts";
import { sessionsOf } from "../../../workspace/sessions/workspace-sessions.ts";
import { openTrustedOrNull } from "../../../workspace/trust/open-trusted.ts";
import type { Context } from "../../context/context.ts";
import { missingLines } from "../../screen/missing-lines.ts";
import { shortId } from "../../screen/short-id.ts";
import { agoText, oneLine } from "../../screen/words.ts";
import type { ActPlace } from "./act.ts";

/** Where `restore SESSION` puts it: here, if this is a clone of its repository; else where its work is looked at. */
export async function treeToFill(
  context: Context,
  store: RefloatStore,
  row: SessionRow,
): Promise<WorkspaceHere> {
  const here = await workspaceHere(context, store);
  const isOfFolder = row.facts.captured_head === undefined && here.workspace.kind === "folder";
  if (isOfFolder || (await isOfSameRepository(row, here.workspace))) return here;
  const open = (place: string): Promise<WorkspaceHere> => workspaceAt(context, store, place);
  return (await sessionTree(row, context.place(), open)) ?? here;
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
  context: Context,
  { store, here }: ActPlace,
  row: SessionRow,
  named: readonly PathName[],
): Promise<CompiledAct> {
  const { workspace, env } = here;
  const held = await heldFor(store, row, workspace);
  const source = { id: held.capture, session: row.id, reading: held.reading, headId: held.base };
  const words = heldWords(context, held);
  if (!isAway(row, workspace)) {
    const rows = await sessionsOf(store.raw, [workspace.root, here.place]);
    const options = { store: store.raw, workspace, env, rows };
    return { ...compileRestore(await gatherRestore(options, source, named)), ...words, notes: [] };
  }
  const { puts, leftAlone } = compileBring(
    await gatherBring(store.raw, workspace, source, env),
    wantedPaths(named),
  );
  const draft = { act: "restore", session: row.id, puts, data: { capture: held.capture } } as const;
  return { draft, leftAlone, ...words };
}

function heldWords(
  context: Context,
  { session, capture, atMs, path, base, missing }: HeldWork,
): Omit<CompiledAct, "draft" | "leftAlone"> {
  const when = agoText(atMs, context.clock.nowMs());
  return {
    title: `Put back what session ${shortId(session)} left, held by capture ${shortId(capture)} of ${when}`,
    word: "restore",
    commit: base,
    notes: [`It was done in ${oneLine(path)}.`, ...missingLines(missing)],
  };
}

/** Its own tree is no more, and some of its work is in this one now: it goes on here. */
export async function moveIfPutBack(
  store: RefloatStore,
  row: SessionRow,
  workspace: Workspace,
): Promise<void> {
  const from = String(row.facts.workspace ?? "");
  const isOwn = openTrustedOrNull(store.raw, from, process.env);
  if (!isAway(row, workspace) || (isOwn !== null && (isOwn.root === workspace.root || !isAway(row, isOwn))))
    return;
  const acted = await actedInName(store.raw, workspace, row.id, [workspace.root]);
  if (![...acted.values()].some(({ kind }) => kind === "brought")) return;
  const body = { from, to: workspace.root, reason: PUT_BACK };
  await store.raw.append(row.id, "anyone", [newRecord(store.raw.clock, "session.moved", body)]);
}
