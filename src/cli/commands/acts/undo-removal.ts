/** `undo` where the newest act here is the removal of work trees: what is asked and said of those that are brought back. */
import type { Conflict } from "../../../acts/plans/outcome.ts";
import { conflictJson, toldRemoval } from "../../../app/acts/told-act.ts";
import { type EndedRecreation, type UndoMeant, undoRemoval } from "../../../app/acts/undo.ts";
import { shellWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { count, oneLine } from "../../screen/words.ts";

type Meant = Extract<UndoMeant, { kind: "removal" }>;
type BroughtTrees = Extract<EndedRecreation, { kind: "done" }>["trees"];

export async function runUndoRemoval(
  context: Context,
  input: CommandInput,
  meant: Meant,
): Promise<CommandEnd> {
  const titles = meant.removals.map(
    ({ path, files }) => `Bring the work tree ${oneLine(path)} back: ${count(files, "file")}`,
  );
  const plan = { json: { ...toldRemoval(meant, false) }, text: () => titles };
  const ended = await undoRemoval(context, meant, {
    isDryRun: isSet(input, "dryRun"),
    ask: async () => ((await confirmed(context, plan)) ? "yes" : "no"),
  });
  const tell = (trees: BroughtTrees | null, lines: readonly string[]): Promise<void> =>
    context.out.result({ command: "undo", json: undoJson(context, meant, trees), text: () => lines });
  switch (ended.kind) {
    case "planned":
      await tell(null, titles);
      return EXIT.done;
    case "declined":
      await tell(null, ["Nothing was changed."]);
      return EXIT.failed;
    case "done":
      await tell(ended.trees, broughtLines(context, ended.trees));
      return ended.trees.some(({ conflicts }) => conflicts.length > 0) ? EXIT.attention : EXIT.done;
    default:
      return ended satisfies never;
  }
}

/** `trees`: null: nothing was done. */
function undoJson(context: Context, meant: Meant, trees: BroughtTrees | null): Record<string, unknown> {
  const conflicts = trees?.flatMap((one) => one.conflicts) ?? [];
  const isDone = trees !== null && conflicts.length === 0;
  const paths = meant.removals.map(({ path }) => path);
  const detached = (trees ?? []).flatMap(({ path, conflicts: inTheWay, detached: why }) =>
    why === null || inTheWay.length > 0 ? [] : [{ path, why }],
  );
  return {
    plan: toldRemoval(meant, isDone),
    done: isDone,
    conflicts: conflicts.map(conflictJson),
    commit: null,
    undo: isDone ? context.out.typed(`refloat worktrees remove ${paths.map(shellWord).join(" ")}`) : null,
    left: [],
    already: [],
    ...(detached.length > 0 ? { detached } : {}),
  };
}

function broughtLines(context: Context, trees: BroughtTrees): string[] {
  return trees.flatMap(({ path, files, conflicts, detached }) => {
    if (conflicts.length > 0) return conflictLines(context, path, conflicts);
    const back = `Done. ${oneLine(path)} is back, with ${count(files, "file")}.`;
    if (detached === null) return [back];
    const text = `It is at its commit, on no branch: ${oneLine(detached)}.`;
    return [back, ...hanging(text, "  ", context.out.columns)];
  });
}

/** Paths on a screen; the JSON has them all. */
const MAX_CONFLICTS = 10;

function conflictLines({ out }: Context, path: string, conflicts: readonly Conflict[]): string[] {
  const text = `${oneLine(path)} is not brought back: something else is there. Move it away, then undo again.`;
  const more = conflicts.length - MAX_CONFLICTS;
  return [
    ...hanging(out.style.yellow(text), "  ", out.columns),
    ...conflicts.slice(0, MAX_CONFLICTS).map((one) => `  ${shownPath(one.path)}`),
    ...(more > 0 ? [`  and ${count(more, "more", "more")}`] : []),
  ];
}
