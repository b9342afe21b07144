/**
 * `restore CAPTURE|SESSION [PATH...] [--to DIR]`: puts back what a capture holds, or a session's newest, here by a plan, or as
 * a copy elsewhere.
 */
import { type BroughtPaths, compileBring, gatherBring } from "../../../acts/compilers/bring.ts";
import { copyOut } from "../../../acts/compilers/copy-out.ts";
import { assertNamed, gatherRestore, type RestoreSource } from "../../../acts/compilers/gather-restore.ts";
import { wantedPaths } from "../../../acts/compilers/put-back.ts";
import { compileRestore } from "../../../acts/compilers/restore.ts";
import type { CompiledAct } from "../../../app/acts/compiled-act.ts";
import { captureRows } from "../../../app/captures/capture-rows.ts";
import { sessionsHere, workspaceHere } from "../../../app/place/workspace-here.ts";
import { findSessionOrNull } from "../../../app/sessions/find-session.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { SessionId } from "../../../model/ids.ts";
import { type PathName, pathForDisplay, pathJson } from "../../../model/path-name.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { withoutSecrets } from "../../../text/without-secrets.ts";
import { findCapture, findCaptureAnywhere } from "../../../workspace/captures/captures.ts";
import { isOfOtherTree } from "../../../workspace/captures/held-work.ts";
import type { TakenCapture } from "../../../workspace/captures/take-capture.ts";
import { readingOf } from "../../../workspace/tree/reading.ts";
import { assertNotJudgedAs } from "../../../workspace/trust/judged-session.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { watched } from "../../context/watched.ts";
import { type CommandInput, isSet, listArgument, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { agoText, count, oneLine } from "../../screen/words.ts";
import { type ActPlace, runAct } from "../plans/act.ts";
import { compileHeld, heldFor, moveIfPutBack, treeToFill } from "../plans/held-here.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = textArgument(input, 0) ?? "";
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  if (!store) throw new RefloatError("E_NO_CAPTURE", { what: typed });
  const rows = await sessionsHere(store, here);
  const taken = await captureOrNull(store, await captureRows(store, here, rows), typed);
  const to = textOption(input, "to");
  if (!taken) return ofSession(context, input, store, typed, to);
  const named = listArgument(input, 1).map((path) => pathHere(here, path));
  const { id, session, seq, capture } = taken;
  const source = { id, session, seq, reading: readingOf(capture), headId: capture.head?.id ?? null };
  if (to !== null) return copy(context, input, { store, here }, source, named, to);
  assertNotOwn(input, here.env, session);
  return runAct(context, input, { store, here }, async (onProgress) => {
    const { workspace, env } = here;
    const options = { store: store.raw, workspace, env, rows, onProgress };
    const isOther = isOfOtherTree(capture.workspace, workspace);
    // In another tree nothing ties what is clean there to a session: it is put where nobody changed anything (W8).
    const compiled = isOther
      ? ofOtherTree(
          source,
          compileBring(await gatherBring(store.raw, workspace, source, env), wantedPaths(named)),
        )
      : compileRestore(await gatherRestore(options, source, named));
    const { value: note } = await withoutSecrets(capture.note);
    return { ...compiled, ...words(context, taken, note, isOther) };
  });
}

/** T2: what lies in the tree is what it is judged by; its own earlier state, put back by an act, is a discard by another name. */
function assertNotOwn(input: CommandInput, env: NodeJS.ProcessEnv, session: string): void {
  if (!isSet(input, "dryRun")) assertNotJudgedAs(env, session, "restore a capture of its own session");
}

const ofOtherTree = (
  { id, session }: RestoreSource,
  { puts, leftAlone }: BroughtPaths,
): Pick<CompiledAct, "draft" | "leftAlone"> => ({
  draft: { act: "restore", session, puts, data: { capture: id } },
  leftAlone,
});

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

/** `restore SESSION`: its newest capture, into this clone, whichever tree it was done in (W8). */
async function ofSession(
  context: Context,
  input: CommandInput,
  store: RefloatStore,
  typed: string,
  to: string | null,
): Promise<CommandEnd> {
  const row = await sessionOrNoCapture(context, typed);
  const here = to === null ? await treeToFill(context, store, row) : await workspaceHere(context, store);
  const named = listArgument(input, 1).map((path) => pathHere(here, path));
  if (to !== null) {
    const {
      capture: id,
      reading,
      base: headId,
    } = await heldFor(store, row, here.workspace, { isCopy: true });
    return copy(context, input, { store, here }, { id, session: row.id, reading, headId }, named, to);
  }
  assertNotOwn(input, here.env, row.id);
  const ending = await runAct(context, input, { store, here }, () =>
    compileHeld(context, { store, here }, row, named),
  );
  if (!isSet(input, "dryRun")) await moveIfPutBack(store, row, here.workspace);
  return ending;
}

async function sessionOrNoCapture(context: Context, typed: string): Promise<SessionRow> {
  const found = await findSessionOrNull(context, typed);
  if (!found) throw new RefloatError("E_NO_CAPTURE", { what: typed });
  return found.row;
}

function words(
  context: Context,
  { id, atMs, capture }: TakenCapture,
  noted: string | null,
  isOther: boolean,
): Omit<CompiledAct, "draft" | "leftAlone"> {
  const note = noted === null ? "" : ` (${oneLine(noted)})`;
  const when = agoText(atMs, context.clock.nowMs());
  return {
    title: `Restore from capture ${shortId(id)}${note}, taken ${when}`,
    word: "restore",
    commit: capture.head?.id ?? null,
    notes: isOther
      ? [`It was taken in another tree, ${oneLine(capture.workspace.path)}: its history may differ.`]
      : [],
  };
}

async function copy(
  context: Context,
  input: CommandInput,
  { store, here }: ActPlace,
  source: RestoreSource,
  named: readonly PathName[],
  to: string,
): Promise<CommandEnd> {
  const bar = watched(context);
  const isDryRun = isSet(input, "dryRun");
  try {
    const repository = here.workspace.kind === "git" ? await here.workspace.repository() : null;
    const place = { store: store.raw, repository, workspace: here.workspace.root };
    const { id, session, reading, headId } = source;
    await assertNamed({ capture: id, reading, repository, commits: [headId], root: null }, named);
    const copied = await copyOut(place, source, {
      named,
      to,
      isDryRun,
      onProgress: bar.onProgress,
    });
    bar.end();
    await context.out.result({
      command: "restore",
      json: {
        plan: {
          id: null,
          session,
          acts: [{ group: id, act: "restore", paths: copied.paths.map(pathForDisplay) }],
        },
        done: !isDryRun,
        conflicts: [],
        commit: null,
        undo: null,
        to: copied.to,
        left: copied.missing.map(({ path, why }) => ({ ...pathJson(path), why })),
      },
      text: () => [
        `${isDryRun ? "Would copy" : "Copied"} ${count(copied.paths.length, "path")} of capture ${shortId(id)} to ${oneLine(copied.to)}.`,
        ...copied.missing.map(({ path, why }) => `  not copied: ${shownPath(path)}: ${oneLine(why)}`),
      ],
    });
    return copied.missing.length > 0 && !isDryRun ? EXIT.attention : EXIT.done;
  } finally {
    bar.end();
  }
}
