/** `state upgrade`: each file to the version asked for; a second time changes nothing. */
import { type UpgradedFile, upgradeFile } from "../../../workflow/file-acts.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { oneLine } from "../../screen/words.ts";
import { filesOf } from "./state-files.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const to = textOption(input, "to") === "3.0" ? "3.0" : "2.0";
  const files = await filesOf(context, input);
  const store = await context.openOrMakeStore();
  const done: UpgradedFile[] = [];
  for (const file of files) done.push(await upgradeFile(store.raw, file, to));
  for (const note of done.flatMap(({ notes }) => notes)) context.out.narrate(`Note: ${oneLine(note)}`);
  await context.out.result({
    command: "state-upgrade",
    json: { files: done.map(({ isChanged, ...one }) => ({ ...one, changed: isChanged })) },
    text: () =>
      done.map(({ path, from, isChanged }) =>
        isChanged
          ? `${oneLine(path)}: ${from} to ${to}; the old one is in .bak`
          : `${oneLine(path)}: is ${to} already`,
      ),
  });
  return EXIT.done;
}
