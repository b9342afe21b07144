/** `capture [-m TEXT] [PATH...]`: holds the tree as it is. With --dry-run it is read all the same, and held nowhere. */
import { type CaptureOutcome, capture } from "../../../app/captures/capture.ts";
import { toldCapture } from "../../../app/captures/told-capture.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { teller } from "../../context/tell.ts";
import { watched } from "../../context/watched.ts";
import { type CommandInput, isSet, listArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shownName } from "../../screen/group-text.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";

/** Gaps shown one by one; the rest is in the JSON. */
const MAX_GAPS_SHOWN = 10;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const precious = textOption(input, "precious");
  const face = { tell: teller(context), progress: watched(context) };
  const outcome = await capture(context, face, {
    paths: (here) => listArgument(input, 0).map((typed) => pathHere(here, typed)),
    precious: precious === null ? [] : [precious],
    note: textOption(input, "message"),
    isDryRun: isSet(input, "dryRun"),
  });
  await context.out.result({
    command: "capture",
    json: toldCapture(outcome),
    text: () => lines(context, outcome.reading, outcome.taken),
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
