/** `state init|import|upgrade|repair|export`: what was asked for, and what became of each file. */
import { resolve } from "node:path";
import {
  exportStateFiles,
  importStateFile,
  initStateFile,
  repairStateFiles,
  upgradeStateFiles,
  type WrittenVersion,
} from "../../../app/workflow/state.ts";
import { shellWord } from "../../../text/escape.ts";
import { jsonText } from "../../../text/json-text.ts";
import type { FieldChange, RepairedFile, RepairOptions } from "../../../workflow/file-acts.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import {
  type CommandInput,
  isSet,
  listArgument,
  textArgument,
  textOption,
  usage,
} from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { schemaOf } from "../../screen/output.ts";
import { count, oneLine } from "../../screen/words.ts";

/** With -C a name means something else where somebody stands: commands about it name it in full (T6). */
export function namedFiles({ flags: { directory } }: Context, input: CommandInput): readonly string[] {
  return listArgument(input, 0).map((path) => (directory === null ? path : resolve(path)));
}

const versionOf = (input: CommandInput): WrittenVersion =>
  textOption(input, "to") === "3.0" ? "3.0" : "2.0";

export async function init(context: Context, input: CommandInput): Promise<CommandEnd> {
  const { path, kept } = await initStateFile(context, {
    file: textArgument(input, 0),
    project: textOption(input, "project"),
    region: textOption(input, "region"),
    branch: textOption(input, "branch"),
    version: versionOf(input),
    isFresh: isSet(input, "fresh"),
  });
  await context.out.result({
    command: "state-init",
    json: { path, kept_handoff: kept },
    text: () => [
      `${oneLine(path)} and its handoff are written.`,
      ...keptLines(kept),
      context.out.typed("Next: refloat step start 1"),
    ],
  });
  return EXIT.done;
}

const keptLines = (kept: string | null): string[] =>
  kept === null ? [] : [`The handoff that was there is kept: ${oneLine(kept)}`];

export async function importFrom(context: Context, input: CommandInput): Promise<CommandEnd> {
  const { path, from, decisions, freed, kept } = await importStateFile(context, {
    from: textArgument(input, 0) ?? "",
    file: textArgument(input, 1),
    version: versionOf(input),
    isFresh: isSet(input, "fresh"),
  });
  await context.out.result({
    command: "state-import",
    json: { path, from, decisions, freed, kept_handoff: kept },
    text: () => [
      `${oneLine(path)} is written, with ${count(decisions, "decision")}.`,
      ...keptLines(kept),
      ...freed.map(({ step, owner }) => `Step ${step} was held by ${oneLine(owner)} there; here it is free.`),
    ],
  });
  return EXIT.done;
}

export async function upgrade(context: Context, input: CommandInput): Promise<CommandEnd> {
  const to = versionOf(input);
  const done = await upgradeStateFiles(context, namedFiles(context, input), to);
  sayNotes(context, done);
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

function sayNotes({ out }: Context, done: readonly { readonly notes: readonly string[] }[]): void {
  for (const note of done.flatMap(({ notes }) => notes)) out.narrate(`Note: ${oneLine(note)}`);
}

export async function exportTo(context: Context, input: CommandInput): Promise<CommandEnd> {
  const how = { to: versionOf(input), isRaw: isSet(input, "raw") };
  const exported = await exportStateFiles(context, namedFiles(context, input), how);
  await context.out.write(`${jsonText({ schema: schemaOf("state-export"), ...exported })}\n`);
  return EXIT.done;
}

/** Each changed field is named; what was there is kept beside it. */
export async function repair(context: Context, input: CommandInput): Promise<CommandEnd> {
  const options = repairOptions(input);
  const done = await repairStateFiles(context, namedFiles(context, input), options);
  const isDryRun = options.isDryRun === true;
  sayNotes(context, done);
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
    text: () => done.flatMap((one) => repairLines(one, isDryRun)),
  });
  return EXIT.done;
}

function repairOptions(input: CommandInput): RepairOptions {
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

function repairLines(
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
