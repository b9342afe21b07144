/** `state repair`: the newest whole version again; a damaged one is kept beside it. */
import { type RepairedFile, repairFile } from "../../workflow/file-acts.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import type { CommandInput } from "../options.ts";
import { filesOf } from "../state-files.ts";
import { oneLine } from "../words.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const files = filesOf(context, input);
  const store = await context.openOrMakeStore();
  const done: RepairedFile[] = [];
  for (const file of files) done.push(await repairFile(store.raw, file));
  await context.out.result({
    command: "state-repair",
    json: { files: done.map(({ isChanged, ...one }) => ({ ...one, changed: isChanged })) },
    text: () => done.flatMap(lines),
  });
  return EXIT.done;
}

function lines({ path, from, ground, kept, isChanged }: RepairedFile): string[] {
  if (!isChanged) return [`${oneLine(path)}: nothing to repair.`];
  const source =
    from === "file" ? "set right" : from === "rebuilt" ? `rebuilt from ${ground}` : `from ${oneLine(ground)}`;
  return [
    `${oneLine(path)}: ${source}.`,
    ...(kept === null ? [] : [`  The damaged one is kept: ${oneLine(kept)}`]),
  ];
}
