/** `capture [-m TEXT] [PATH...]`: holds the tree as it is. With --dry-run it is read all the same, and held nowhere. */
import type { Plan } from "../../../acts/plans/plans.ts";
import { showOpen } from "../../../app/acts/finish-open.ts";
import { type CaptureOutcome, capture } from "../../../app/captures/capture.ts";
import { type WorkspaceHere, workspaceHere } from "../../../app/place/workspace-here.ts";
import { RefloatError } from "../../../model/errors.ts";
import { headConfig } from "../../../workspace/opening/config.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { teller, tellsUnknownKeys } from "../../context/tell.ts";
import { watched } from "../../context/watched.ts";
import { type CommandInput, isSet, listArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shownName } from "../../screen/group-text.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";

/** Gaps shown one by one; the rest is in the JSON. */
const MAX_GAPS_SHOWN = 10;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const isDryRun = isSet(input, "dryRun");
  const store = isDryRun ? await context.findStore() : await context.openOrMakeStore();
  const here = await workspaceHere(context, store);
  const precious = textOption(input, "precious");
  const paths = listArgument(input, 0).map((typed) => pathHere(here, typed));
  if (paths.length === 0) await warnOfConfig(context, here);
  const open = await showOpen(store?.raw ?? null, here.workspace, teller(context));
  const bar = watched(context);
  try {
    const outcome = await capture(isDryRun ? null : (store?.raw ?? null), here, context.clock, {
      paths,
      precious: precious === null ? [] : [precious],
      note: textOption(input, "message"),
      onProgress: bar.onProgress,
    });
    return tell(context, here, outcome, open);
  } finally {
    bar.end();
  }
}

/** A config that does not parse names no precious files: the capture goes on without them, and says so. */
async function warnOfConfig(context: Context, { workspace, env }: WorkspaceHere): Promise<void> {
  try {
    if (workspace.kind === "git") await headConfig(workspace, env, tellsUnknownKeys(context));
  } catch (thrown) {
    if (!(thrown instanceof RefloatError) || thrown.code !== "E_BAD_CONFIG") throw thrown;
    context.out.narrate(`${oneLine(thrown.message)} No precious files are held by it.`);
  }
}

async function tell(
  context: Context,
  { workspace }: WorkspaceHere,
  { reading, taken }: CaptureOutcome,
  open: readonly Plan[],
): Promise<CommandEnd> {
  const { how, head, partial, in_progress, entries, gaps, limits, hidden } = reading;
  await context.out.result({
    command: "capture",
    json: {
      capture: taken?.id ?? null,
      session: taken?.session ?? null,
      at: taken === null ? null : new Date(taken.atMs).toISOString(),
      workspace: workspace.root,
      how,
      head,
      partial,
      in_progress,
      held: entries.length,
      gaps,
      limits,
      hidden,
      // It may hold a tree in the middle of an act.
      ...(open.length > 0 ? { open_plans: open.map(({ id, act }) => ({ id, act })) } : {}),
    },
    text: () => lines(context, reading, taken),
  });
  return EXIT.done;
}

function lines(
  context: Context,
  { entries, gaps, limits, partial, in_progress, hidden }: CaptureOutcome["reading"],
  taken: CaptureOutcome["taken"],
): string[] {
  const { bold, yellow, dim } = context.out.style;
  const what = count(entries.length, "path");
  const first = taken
    ? `Captured ${what} as ${bold(shortId(taken.id))}.`
    : `Would hold ${what}; nothing was held.`;
  const shown = gaps.slice(0, MAX_GAPS_SHOWN).map((gap) => `  ${shownName(gap)}: ${oneLine(gap.detail)}`);
  const rest = gaps.length - shown.length;
  return [
    first,
    ...(in_progress.length > 0 ? [`In the middle of: ${in_progress.join(", ")}.`] : []),
    ...(hidden > 0
      ? [dim(`Git does not look at ${count(hidden, "tracked path")} here (skip-worktree, assume-unchanged).`)]
      : []),
    ...(partial ? [yellow("Partial. Named, but not held:")] : []),
    ...shown,
    ...(rest > 0 ? [`  and ${count(rest, "more", "more")}`] : []),
    ...limits.map(
      ({ limit, value, left_out }) => `  the limit ${limit} (${value}) left out ${count(left_out, "path")}`,
    ),
  ];
}
