/** `store backup PATH`: a consistent copy, whole and synced before it has its name. */
import { resolve } from "node:path";
import { backup } from "../../../app/upkeep/export.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { bytesText, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = textArgument(input, 0);
  if (!typed) throw usage("store backup needs a path.");
  const path = resolve(typed);
  const bytes = await backup(context, path);
  await context.out.result({
    command: "store-backup",
    json: { path, bytes },
    text: () => [`${oneLine(path)}: ${bytesText(bytes)}, whole and on disk.`],
  });
  return EXIT.done;
}
