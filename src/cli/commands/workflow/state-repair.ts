/** `state repair`: the newest whole version again, each changed field named; what was there is kept beside it. */
import { shellWord } from "../../../text/escape.ts";
import type { FieldChange } from "../../../workflow/doc-changes.ts";
import { type RepairedFile, type RepairOptions, repairFile } from "../../../workflow/file-acts.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { oneLine } from "../../screen/words.ts";
import { filesAndLost } from "./state-files.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const files = await filesAndLost(context, input);
  const options = optionsOf(input);
  const store = await context.openOrMakeStore();
  const done: RepairedFile[] = [];
  for (const file of files) done.push(await repairFile(store.raw, file, options));
  const isDryRun = options.isDryRun === true;
  for (const note of done.flatMap(({ notes }) => notes)) context.out.narrate(`Note: ${oneLine(note)}`);
  await context.out.result({
    command: "state-repair",
    json: {
      dry_run: isDryRun,
      files: done.map(({ isChanged, before, changes, keptHandoff, isBack, ...one }) => ({
        ...one,
        kept_handoff: keptHandoff,
        was_gone: isBack,
        changed: isChanged,
        changes: changes.map(({ path, from, to }) => ({ path, from: from ?? null, to: to ?? null })),
        put_back: putBack(one.path, before),
      })),
    },
    text: () => done.flatMap((one) => lines(one, isDryRun)),
  });
  return EXIT.done;
}

function optionsOf(input: CommandInput): RepairOptions {
  const [isOurs, isTheirs] = [isSet(input, "ours"), isSet(input, "theirs")];
  if (isOurs && isTheirs) throw usage("--ours and --theirs exclude each other.");
  return {
    isDryRun: isSet(input, "dryRun"),
    ...(isOurs ? { side: "ours" } : isTheirs ? { side: "theirs" } : {}),
  };
}

/** The command that brings the bytes from before back; null: nothing was written over. */
const putBack = (path: string, before: string | null): string | null =>
  before === null ? null : `cp -- ${shellWord(before)} ${shellWord(path)}`;

function lines(
  { path, from, ground, kept, keptHandoff, isBack, isChanged, changes, before }: RepairedFile,
  isDryRun: boolean,
): string[] {
  if (!isChanged) return [`${oneLine(path)}: nothing to repair.`];
  const source = sourceText(from, oneLine(ground));
  const command = putBack(path, before);
  return [
    `${oneLine(path)}: ${isDryRun ? "would be " : ""}${isBack && from !== "rebuilt" ? "brought back " : ""}${source}.`,
    // Of a file that was not there everything is new: what it says is in it.
    ...(isBack ? [] : changes.map((change) => `  ${changeText(change)}`)),
    ...(changes.length === 0 ? ["  Only its companion is written again."] : []),
    ...(kept === null ? [] : [`  The damaged one is kept: ${oneLine(kept)}`]),
    ...(keptHandoff === null ? [] : [`  The old handoff is kept: ${oneLine(keptHandoff)}`]),
    ...(command === null ? [] : [`  Put it back: ${oneLine(command)}`]),
  ];
}

function sourceText(from: string, ground: string): string {
  if (from === "file") return "set right";
  return from === "rebuilt" ? `rebuilt from ${ground}` : `from ${ground}`;
}

/** Of a value: enough to know it by; JSON has all of it. */
const MAX_VALUE_CHARS = 60;

function changeText({ path, from, to }: FieldChange): string {
  const shown = (value: FieldChange["from"]): string => {
    if (value === undefined) return "nothing";
    const text = oneLine(JSON.stringify(value));
    return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}...` : text;
  };
  return `${oneLine(path)}: ${shown(from)} -> ${shown(to)}`;
}
