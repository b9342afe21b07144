/** `store gc`: contents nothing names and transcripts whose time is over go, records stay (D2). What a writer may still be about to name stays too. */
import { dropUnnamed, wouldDrop } from "../../../app/upkeep/check.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { bytesText, count } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  if (isSet(input, "dryRun")) return look(context);
  const { transcripts, contents, bytes, storeBytes } = await dropUnnamed(context);
  await context.out.result({
    command: "store-gc",
    json: {
      ...{ contents, bytes, transcripts },
      ...{ store_bytes_before: storeBytes.before, store_bytes_after: storeBytes.after },
    },
    text: () => [
      ...(transcripts === 0 ? [] : [`${count(transcripts, "kept transcript")} had its time.`]),
      contents === 0
        ? "Nothing to drop: every content is named by a record."
        : `Dropped ${count(contents, "content")}, ${bytesText(bytes)}.`,
      `The store takes ${bytesText(storeBytes.after)}, ${bytesText(storeBytes.before)} before.`,
    ],
  });
  return EXIT.done;
}

async function look(context: Context): Promise<CommandEnd> {
  const { transcripts, contents, bytes } = await wouldDrop(context);
  await context.out.result({
    command: "store-gc",
    json: { contents, bytes, transcripts, done: false },
    text: () => [
      ...(transcripts === 0 ? [] : [`${count(transcripts, "kept transcript")} would go.`]),
      contents + bytes === 0
        ? "Nothing to drop: every content is named by a record."
        : `Would drop ${count(contents, "content")}, ${bytesText(bytes)}.`,
    ],
  });
  return EXIT.done;
}
