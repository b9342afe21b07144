/** `restore CAPTURE [PATH...] [--to DIR]`: puts back what a capture holds, here by a plan, or as a copy elsewhere. */
import { assertNamed } from "../../acts/assert-named.ts";
import { copyOut } from "../../acts/copy-out.ts";
import { gatherRestore } from "../../acts/gather-restore.ts";
import { compileRestore } from "../../acts/restore.ts";
import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import { pathForDisplay, pathJson } from "../../model/path-name.ts";
import { shownPath } from "../../text/shown-path.ts";
import { readingOf } from "../../workspace/capture-json.ts";
import { findCapture } from "../../workspace/captures.ts";
import type { TakenCapture } from "../../workspace/take-capture.ts";
import { cloneOf } from "../../workspace/workspace.ts";
import { type ActPlace, runAct } from "../act.ts";
import { captureRows } from "../capture-rows.ts";
import type { Ending } from "../command-spec.ts";
import type { CompiledAct } from "../compiled-act.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, isSet, listArgument, textArgument, textOption } from "../options.ts";
import { shortId } from "../short-id.ts";
import { watched } from "../watched.ts";
import { withoutSecrets } from "../without-secrets.ts";
import { agoText, count, oneLine } from "../words.ts";
import { pathHere, sessionsHere, workspaceHere } from "../workspace-here.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const typed = textArgument(input, 0) ?? "";
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  if (!store) throw new RefloatError("E_NO_CAPTURE", { what: typed });
  const rows = await sessionsHere(store, here);
  const taken = await findCapture(store.raw, await captureRows(store, here, rows), typed);
  const named = listArgument(input, 1).map((path) => pathHere(here, path));
  const to = textOption(input, "to");
  if (to !== null) return copy(context, input, { store, here }, taken, named, to);
  return runAct(context, input, { store, here }, async (onProgress) => {
    const options = { store: store.raw, workspace: here.workspace, env: here.env, rows, onProgress };
    const compiled = compileRestore(await gatherRestore(options, taken, named));
    const { value: note } = await withoutSecrets(taken.capture.note);
    return { ...compiled, ...words(context, taken, note, cloneOf(here.workspace)) };
  });
}

function words(
  context: Context,
  { id, atMs, capture }: TakenCapture,
  noted: string | null,
  clone: string | null,
): Omit<CompiledAct, "draft" | "leftAlone"> {
  const note = noted === null ? "" : ` (${oneLine(noted)})`;
  const when = agoText(atMs, context.clock.nowMs());
  const isOther = capture.workspace.clone !== clone;
  return {
    title: `Restore from capture ${shortId(id)}${note}, taken ${when}`,
    word: "restore",
    commit: capture.head?.id ?? null,
    notes: isOther ? ["It was taken in another clone that lay here: its history may differ."] : [],
  };
}

async function copy(
  context: Context,
  input: CommandInput,
  { store, here }: ActPlace,
  taken: TakenCapture,
  named: readonly PathName[],
  to: string,
): Promise<Ending> {
  const bar = watched(context);
  const isDryRun = isSet(input, "dryRun");
  try {
    const repository = here.workspace.kind === "git" ? await here.workspace.repository() : null;
    const place = { store: store.raw, repository, workspace: here.workspace.root };
    const { id, capture } = taken;
    const commits = [capture.head?.id ?? null];
    await assertNamed({ capture: id, reading: readingOf(capture), repository, commits, root: null }, named);
    const copied = await copyOut(place, taken.capture, {
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
          session: taken.session,
          acts: [{ group: taken.id, act: "restore", paths: copied.paths.map(pathForDisplay) }],
        },
        done: !isDryRun,
        conflicts: [],
        commit: null,
        undo: null,
        to: copied.to,
        left: copied.missing.map(({ path, why }) => ({ ...pathJson(path), why })),
      },
      text: () => [
        `${isDryRun ? "Would copy" : "Copied"} ${count(copied.paths.length, "path")} of capture ${shortId(taken.id)} to ${oneLine(copied.to)}.`,
        ...copied.missing.map(({ path, why }) => `  not copied: ${shownPath(path)}: ${oneLine(why)}`),
      ],
    });
    return copied.missing.length > 0 && !isDryRun ? EXIT.attention : EXIT.done;
  } finally {
    bar.end();
  }
}
