/** Puts back what a capture holds, or a session's newest: here by a plan, or as a copy elsewhere. */
import { compileBring, gatherBring } from "../../acts/compilers/bring.ts";
import { type CopiedCommits, copyCommits } from "../../acts/compilers/copy-commits.ts";
import { type CopiedPaths, copyOut } from "../../acts/compilers/copy-out.ts";
import { assertNamed, gatherRestore, type RestoreSource } from "../../acts/compilers/gather-restore.ts";
import { wantedPaths } from "../../acts/compilers/put-back.ts";
import { compileRestore } from "../../acts/compilers/restore.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import { describeSession } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import { findCapture, findCaptureAnywhere } from "../../workspace/captures/captures.ts";
import { isOfOtherTree } from "../../workspace/captures/held-work.ts";
import type { TakenCapture } from "../../workspace/captures/take-capture.ts";
import { sessionsWithSay } from "../../workspace/sessions/workspace-sessions.ts";
import { readingOf } from "../../workspace/tree/reading.ts";
import { assertNotJudgedAs } from "../../workspace/trust/judged-session.ts";
import { hearHooks } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import { sessionsHere, type WorkspaceHere, workspaceHere } from "../place/workspace-here.ts";
import { recover } from "../recovery/recover.ts";
import { assertOver } from "../sessions/assert-over.ts";
import { captureRows } from "../sessions/capture-rows.ts";
import { findSessionOrNull } from "../sessions/find-session.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { type ActHow, type ActPlace, act, type EndedAct } from "./act.ts";
import type { CompiledAct } from "./compiled-act.ts";
import { compileHeld, heldFor, moveIfPutBack, treeToFill } from "./held.ts";

export interface RestoreOrder {
  /** A capture, or a session: its id or the beginning of it, or its name. */
  readonly of: string;
  /** What is wanted of it, in the tree it is put into or copied from; none: all of it. */
  readonly paths: (here: WorkspaceHere) => readonly PathName[];
  /** A folder it is copied to; null: it is put into the tree. */
  readonly to: string | null;
  /** A folder that the commits held with it are copied to, as a bundle, with git's own files; null: they are not asked for. */
  readonly commits?: string | null;
}

export type EndedRestore =
  | { readonly kind: "act"; readonly act: EndedAct }
  | { readonly kind: "copied"; readonly source: RestoreSource; readonly copied: CopiedPaths }
  | {
      readonly kind: "commits";
      readonly id: string;
      readonly session: string;
      readonly copied: CopiedCommits;
    };

export async function restore(at: AppPlace, how: ActHow, order: RestoreOrder): Promise<EndedRestore> {
  // What was held before a command may still wait to be taken in.
  await hearHooks(at);
  const store = await at.findStore();
  const here = await workspaceHere(at, store);
  if (!store) throw new RefloatError("E_NO_CAPTURE", { what: order.of });
  const rows = await sessionsHere(store, here);
  const taken = await captureOrNull(store, await captureRows(store, here, rows), order.of);
  if (order.commits) return { kind: "commits", ...(await commitsOf(store, taken, order, how.isDryRun)) };
  if (!taken) return ofSession(at, how, store, order);
  const named = order.paths(here);
  const { id, session, seq, capture } = taken;
  const isBeforeLoss = capture.before !== undefined;
  const reading = readingOf(capture);
  const source = { id, session, seq, reading, headId: capture.head?.id ?? null, isBeforeLoss };
  if (order.to !== null) return copy(how, { store, here }, source, named, order.to);
  assertNotOwn(how, here, session);
  const own = rows.find(({ id: one }) => one === session) ?? null;
  const saying = await sessionsWithSay(store.raw, [here.workspace.root, here.place], own);
  const ended = await act(how, { store, here }, (onProgress) =>
    compileCapture({ store, here }, { taken, source, named, rows: saying, onProgress }),
  );
  return { kind: "act", act: ended };
}

async function commitsOf(
  store: RefloatStore,
  taken: TakenCapture | null,
  { of, commits }: RestoreOrder,
  isDryRun: boolean,
): Promise<{ id: string; session: string; copied: CopiedCommits }> {
  if (!taken) throw new RefloatError("E_NO_CAPTURE", { what: of });
  const { id, session, capture } = taken;
  if (!capture.repository) throw new RefloatError("E_NO_COMMITS", { capture: id });
  const copied = await copyCommits(store.raw, capture.repository, { to: commits ?? "", isDryRun });
  return { id, session, copied };
}

/** T2: what lies in the tree is what it is judged by; its own earlier state, put back by an act, is a discard by another name. */
function assertNotOwn({ isDryRun }: ActHow, { env }: Pick<AppPlace, "env">, session: string): void {
  if (!isDryRun) assertNotJudgedAs(env, session, "restore a capture of its own session");
}

interface CaptureWanted {
  readonly taken: TakenCapture;
  readonly source: RestoreSource;
  readonly named: readonly PathName[];
  readonly rows: readonly SessionRow[];
  readonly onProgress: (done: number, total: number) => void;
}

async function compileCapture(
  { store, here }: ActPlace,
  { taken, source, named, rows, onProgress }: CaptureWanted,
): Promise<CompiledAct> {
  const { workspace, env } = here;
  const { id, atMs, capture } = taken;
  const isOther = isOfOtherTree(capture.workspace, workspace);
  const compiled = isOther
    ? await ofOtherTree({ store, here }, source, named)
    : compileRestore(
        await gatherRestore({ store: store.raw, workspace, env, rows, onProgress }, source, named),
      );
  const { value: note } = await withoutSecrets(capture.note);
  return {
    ...compiled,
    subject: {
      kind: "capture",
      capture: id,
      atMs,
      note,
      otherTree: isOther ? capture.workspace.path : null,
    },
    word: "restore",
    commit: capture.head?.id ?? null,
  };
}

/** In another tree nothing ties what is clean there to a session: it is put where nobody changed anything (W8). */
async function ofOtherTree(
  { store, here: { workspace, env } }: ActPlace,
  source: RestoreSource,
  named: readonly PathName[],
): Promise<Pick<CompiledAct, "draft" | "leftAlone">> {
  const { id, session } = source;
  const facts = await gatherBring(store.raw, workspace, source, env);
  const { puts, leftAlone } = compileBring(facts, wantedPaths(named));
  return { draft: { act: "restore", session, puts, data: { capture: id } }, leftAlone };
}

/** Of this workspace, else of any: held work belongs to its session, not to a path (W8). Null: there is none of that name. */
async function captureOrNull(
  store: RefloatStore,
  rows: readonly SessionRow[],
  typed: string,
): Promise<TakenCapture | null> {
  try {
    return await findCapture(store.raw, rows, typed);
  } catch (thrown) {
    if (!(thrown instanceof RefloatError) || thrown.code !== "E_NO_CAPTURE") throw thrown;
    return (await store.raw.session(typed as SessionId)) ? null : findCaptureAnywhere(store.raw, typed);
  }
}

/** Its newest capture, into this clone, whichever tree it was done in (W8). */
async function ofSession(
  at: AppPlace,
  how: ActHow,
  store: RefloatStore,
  { of, paths, to }: RestoreOrder,
): Promise<EndedRestore> {
  const found = await findSessionOrNull(at, of);
  if (!found) throw new RefloatError("E_NO_CAPTURE", { what: of });
  if (to === null) assertNotOwn(how, at, found.row.id);
  const row = to === null ? await endedRow(at, how, store, found.row) : found.row;
  const here = to === null ? await treeToFill(at, store, row) : await workspaceHere(at, store);
  const named = paths(here);
  if (to !== null) {
    const held = await heldFor(store, row, here.workspace, { isCopy: true });
    const { capture: id, reading, base: headId } = held;
    return copy(how, { store, here }, { id, session: row.id, reading, headId }, named, to);
  }
  const ended = await act(how, { store, here }, () => compileHeld({ store, here }, row, named));
  if (!how.isDryRun && ended.kind !== "refused") await moveIfPutBack(store, row, here);
  return { kind: "act", act: ended };
}

/**
 * What a session left last is what its end capture holds. Of one that died that is taken first: its newest one may be that of its
 * beginning, and putting that back would take its work away. One that lives has left nothing yet (L6, W8).
 */
async function endedRow(
  at: AppPlace,
  { isDryRun, mayAct, tell }: ActHow,
  store: RefloatStore,
  row: SessionRow,
): Promise<SessionRow> {
  assertOver(await describeSession(store.raw, row));
  if (isDryRun || !mayAct) return row;
  const { env } = at;
  await recover({ store: store.raw, env, home: await at.home(), tell, where: { kind: "session", row } });
  return (await store.raw.session(row.id)) ?? row;
}

async function copy(
  { isDryRun, progress }: ActHow,
  { store, here: { workspace } }: ActPlace,
  source: RestoreSource,
  named: readonly PathName[],
  to: string,
): Promise<EndedRestore> {
  try {
    const repository = workspace.kind === "git" ? await workspace.repository() : null;
    const place = { store: store.raw, repository, workspace: workspace.root };
    const { id, reading, headId } = source;
    await assertNamed({ capture: id, reading, repository, commits: [headId], root: null }, named);
    const { onProgress } = progress;
    return {
      kind: "copied",
      source,
      copied: await copyOut(place, source, { named, to, isDryRun, onProgress }),
    };
  } finally {
    progress.end();
  }
}
