/** `store import FILE|-`: takes an export in. What is here is never replaced; where the two differ, that is said. */
import { type ImportResult, importLines } from "../../store/import.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, textArgument, usage } from "../options.ts";
import { readLines } from "../read-lines.ts";
import { count, oneLine } from "../words.ts";

/** Conflicts listed on a screen; JSON has them all. */
const MAX_SHOWN = 20;

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const file = textArgument(input, 0);
  if (!file) throw usage("store import needs a file, or - for stdin.");
  if (file === "-" && process.stdin.isTTY === true)
    throw usage("Nothing comes from stdin: it is a terminal.");
  const store = await context.openOrMakeStore();
  const result = await importLines(store.raw, readLines(file));
  await context.out.result({
    command: "store-import",
    json: { ...result },
    text: () => resultLines(result),
  });
  return result.conflicts.length > 0 ? EXIT.failed : EXIT.done;
}

function resultLines(result: ImportResult): string[] {
  const { records, sessions, contents, repeats, kept, conflicts } = result;
  const shown = conflicts.slice(0, MAX_SHOWN);
  return [
    `${count(records, "record")} of ${count(sessions, "session")} taken in, ${count(contents, "content")}.`,
    ...(repeats > 0 ? [`${count(repeats, "record")} were here already.`] : []),
    ...(kept > 0 ? [`${count(kept, "original")} kept: the export had them redacted or forgotten.`] : []),
    ...(conflicts.length > 0 ? ["", `${count(conflicts.length, "conflict")}; what is here was kept:`] : []),
    ...shown.map(({ session, seq, why }) => `  ${oneLine(session)} #${seq}: ${oneLine(why)}`),
    ...(conflicts.length > shown.length
      ? [`  ... and ${conflicts.length - shown.length} more (--json)`]
      : []),
  ];
}
