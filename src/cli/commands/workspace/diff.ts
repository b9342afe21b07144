/** `diff [FROM] [TO]`: what changed, whose it is, and the lines. Reads only. */

import { showOpen } from "../../../app/acts/finish-open.ts";
import { type ChosenSide, fromSide, type SideChoice, toSide } from "../../../app/captures/diff-sides.ts";
import { sessionsHere, workspaceHere } from "../../../app/place/workspace-here.ts";
import { RefloatError } from "../../../model/errors.ts";
import { isWithin, pathJson } from "../../../model/path-name.ts";
import { type PathState, stateKey } from "../../../model/path-state.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { textOf } from "../../../text/text-of.ts";
import { contentFinder, type FindContent } from "../../../workspace/compare/content-finder.ts";
import { compareSides, type SidesCompared } from "../../../workspace/compare/sides.ts";
import { type Change, pairRenames } from "../../../workspace/compare/states.ts";
import { type ChangeOwner, ownerOf, type SessionTrack } from "../../../workspace/owning/own.ts";
import { loadTracks, NOW, withNow } from "../../../workspace/owning/session-tracks.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { teller } from "../../context/tell.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../../grammar/options.ts";
import { changeLines, hasRoomForTwo, MAX_SHOWN_LINES, statLine } from "../../screen/change-lines.ts";
import { diffText } from "../../screen/diff-text.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count, oneLine } from "../../screen/words.ts";
import { changeJson } from "./change-json.ts";

/** Larger files are told by their sizes: nobody reads their lines on a screen. */
const MAX_SHOWN_BYTES = 1024 * 1024;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  await showOpen(store?.raw ?? null, here.workspace, teller(context));
  const rows = store ? await sessionsHere(store, here) : [];
  const choice: SideChoice = { context, here, store, rows };
  const from = await fromSide(choice, textArgument(input, 0));
  const to = await toSide(choice, textArgument(input, 1), from);
  const { workspace } = here;
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const compared = narrowed(await compareSides(repository, from.side, to.side), here, input);
  const loaded = store && from.taken ? await loadTracks(store.raw, workspace.root, rows) : [];
  const { reading } = to.side;
  const isNow = to.taken === null && reading !== null;
  const tracks = isNow ? withNow(loaded, rows, { ...to.side, reading }, context.clock.nowMs()) : loaded;
  const track = tracks.find(({ session }) => session === from.taken?.session);
  const owned = compared.changes.map((change) => ({ change, owner: ownerFor(change, track, tracks) }));
  const find = contentFinder({
    store: store?.raw ?? null,
    repository,
    root: workspace.root,
    commits: [from.side.headId, to.side.headId],
    maxBytes: MAX_SHOWN_BYTES,
  });
  const isStat = isSet(input, "stat");
  const bodies = context.out.isJson || isStat ? [] : await bodiesOf(context, input, compared.changes, find);
  await context.out.result({
    command: "diff",
    json: {
      workspace: workspace.root,
      from: sideJson(from),
      to: sideJson(to),
      changes: owned.map(({ change, owner }) => changeJson(change, owner)),
      committed_since: compared.committed.map(pathJson),
      unknown: compared.unknown.map(({ path, why }) => ({ ...pathJson(path), why })),
    },
    text: () => lines(context, { from, to, compared, owned, bodies, isStat }),
  });
  return EXIT.done;
}

function narrowed(
  compared: SidesCompared,
  here: Parameters<typeof pathHere>[0],
  input: CommandInput,
): SidesCompared {
  const typed = textOption(input, "path");
  const changes = pairRenames(compared.changes);
  if (typed === null) return { ...compared, changes };
  const only = pathHere(here, typed);
  return {
    changes: changes.filter(({ path }) => isWithin(path, only)),
    committed: compared.committed.filter((path) => isWithin(path, only)),
    unknown: compared.unknown.filter(({ path }) => isWithin(path, only)),
  };
}

/** Owners are told as the session of the older capture sees them; from HEAD there is no such session. */
function ownerFor(
  change: Change,
  track: SessionTrack | undefined,
  tracks: readonly SessionTrack[],
): ChangeOwner | null {
  if (!track) return null;
  // To now: as the look at the tree has it, so that a path that is clean again is looked for as clean.
  const now = track.captures.at(-1);
  const key = now?.id === NOW ? now.keyAt(change.path) : null;
  return ownerOf(change.path, key ?? stateKey(change.to), track, tracks);
}

const sideJson = ({ side, taken }: ChosenSide): Record<string, unknown> => ({
  kind: taken ? "capture" : side.reading === null ? "HEAD" : "now",
  capture: taken?.id ?? null,
  head: side.headId,
});

async function bodiesOf(
  context: Context,
  input: CommandInput,
  changes: readonly Change[],
  find: FindContent,
): Promise<string[][]> {
  const { columns, style } = context.out;
  const layout = textOption(input, "layout") ?? "auto";
  const isSplit = layout === "split" || (layout === "auto" && hasRoomForTwo(columns));
  const bodies: string[][] = [];
  let shown = 0;
  for (const change of changes) {
    const body =
      shown > MAX_SHOWN_LINES ? ["  (not shown: name it with --path)"] : await bodyOf(change, find);
    shown += body.length;
    bodies.push(body);
  }
  return bodies;

  async function bodyOf(change: Change, findIt: FindContent): Promise<string[]> {
    const [before, after] = [
      await textAt(change, change.from, findIt),
      await textAt(change, change.to, findIt),
    ];
    if (before === null || after === null) return [];
    return diffText(before, after, { columns, style, isSplit });
  }
}

/** Null: nothing to show as lines. */
async function textAt(change: Change, state: PathState, find: FindContent): Promise<string | null> {
  if (state === null) return "";
  if (state.kind !== "file" || state.hash === null) return null;
  const path = state === change.from && change.fromPath ? change.fromPath : change.path;
  return textOf(await findOrNull(find, path, state.hash, state.size));
}

async function findOrNull(find: FindContent, ...asked: Parameters<FindContent>): ReturnType<FindContent> {
  try {
    return await find(...asked);
  } catch (thrown) {
    // A collected or forgotten content leaves the states; there are no lines to show then.
    if (thrown instanceof RefloatError && thrown.code === "E_NO_CONTENT") return null;
    throw thrown;
  }
}

interface DiffView {
  readonly from: ChosenSide;
  readonly to: ChosenSide;
  readonly compared: SidesCompared;
  readonly owned: readonly { readonly change: Change; readonly owner: ChangeOwner | null }[];
  readonly bodies: readonly (readonly string[])[];
  /** A line for each change. */
  readonly isStat: boolean;
}

function lines(context: Context, { from, to, compared, owned, bodies, isStat }: DiffView): string[] {
  const { dim, yellow } = context.out.style;
  const title = `${from.side.label} -> ${to.side.label}`;
  if (owned.length === 0 && compared.unknown.length === 0 && compared.committed.length === 0)
    return [`No difference: ${title}.`];
  return [
    dim(`${title}: ${count(owned.length, "change")}`),
    ...owned.flatMap(({ change, owner }, i) =>
      isStat
        ? [statLine(context.out.style, change, owner)]
        : changeLines(context.out.style, change, owner, bodies[i] ?? []),
    ),
    ...(compared.committed.length > 0
      ? ["", dim(`Committed since: ${count(compared.committed.length, "path")}`)]
      : []),
    ...compared.committed.map((path) => dim(`  ${shownPath(path)}`)),
    ...(compared.unknown.length > 0 ? ["", yellow("Not known:")] : []),
    ...compared.unknown.map(({ path, why }) => `  ${shownPath(path)}: ${oneLine(why)}`),
  ];
}
