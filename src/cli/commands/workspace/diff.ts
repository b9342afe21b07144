/** `diff [FROM] [TO]`: what changed, whose it is, and the lines. Reads only. */

import type { OwnedDifference } from "../../../app/captures/diff.ts";
import { diff } from "../../../app/captures/diff.ts";
import type { ChosenSide } from "../../../app/captures/diff-sides.ts";
import type { WorkspaceHere } from "../../../app/place/workspace-here.ts";
import { RefloatError } from "../../../model/errors.ts";
import { pathJson } from "../../../model/path-name.ts";
import type { PathState } from "../../../model/path-state.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { textOf } from "../../../text/text-of.ts";
import type { FindContent } from "../../../workspace/compare/content-finder.ts";
import type { SidesCompared } from "../../../workspace/compare/sides.ts";
import type { Change } from "../../../workspace/compare/states.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { teller } from "../../context/tell.ts";
import { type CommandInput, isSet, textArgument, textOption, usage } from "../../grammar/options.ts";
import { changeLines, hasRoomForTwo, MAX_SHOWN_LINES, statLine } from "../../screen/change-lines.ts";
import { diffText } from "../../screen/diff-text.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";
import { changeJson } from "./change-json.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const [typedFrom, typedTo] = [textArgument(input, 0), textArgument(input, 1)];
  if (typedFrom === "now") throw usage("now is where a diff leads to: refloat diff HEAD now.");
  const typedPath = textOption(input, "path");
  const order = {
    from: typedFrom,
    to: typedTo,
    only: (here: WorkspaceHere) => (typedPath === null ? null : pathHere(here, typedPath)),
    captureName: (id: string) => shortId(id),
  };
  const { root, from, to, compared, owned, find } = await diff(context, order, teller(context));
  const isStat = isSet(input, "stat");
  const bodies = context.out.isJson || isStat ? [] : await bodiesOf(context, input, compared.changes, find);
  await context.out.result({
    command: "diff",
    json: {
      workspace: root,
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
  readonly owned: readonly OwnedDifference[];
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
