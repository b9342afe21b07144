/**
 * `restore CAPTURE|SESSION [PATH...] [--to DIR]`: puts back what a capture holds, or a session's newest, here by a plan, or as
 * a copy elsewhere.
 */
import { type EndedRestore, restore } from "../../../app/acts/restore.ts";
import { pathForDisplay, pathJson } from "../../../model/path-name.ts";
import { shellWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { type CommandInput, isSet, listArgument, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";
import { actHow, tellAct } from "../plans/act.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const ended = await restore(context, actHow(context, input), {
    of: textArgument(input, 0) ?? "",
    paths: (here) => listArgument(input, 1).map((path) => pathHere(here, path)),
    to: textOption(input, "to"),
    commits: textOption(input, "commits"),
  });
  const isDryRun = isSet(input, "dryRun");
  switch (ended.kind) {
    case "act":
      return tellAct(context, input, ended.act);
    case "copied":
      return tellCopied(context, ended, isDryRun);
    case "commits":
      return tellCommits(context, ended, isDryRun);
    default:
      return ended satisfies never;
  }
}

async function tellCommits(
  context: Context,
  { id, session, copied }: Extract<EndedRestore, { kind: "commits" }>,
  isDryRun: boolean,
): Promise<CommandEnd> {
  const { to, bundle, tips, bases, files } = copied;
  const fetch = bundle === null ? null : `git fetch ${shellWord(bundle)} '+refs/*:refs/held/*'`;
  await context.out.result({
    command: "restore",
    json: {
      plan: { id: null, session, acts: [{ group: id, act: "restore", paths: [] }] },
      ...{ done: !isDryRun, conflicts: [], commit: null, undo: null, to, left: [] },
      commits: { bundle, tips, bases, files: files.length, command: fetch },
    },
    text: () => [
      `${isDryRun ? "Would copy" : "Copied"} ${count(tips.length, "ref")} and ${count(files.length, "file")} of git's own of capture ${shortId(id)} to ${oneLine(to)}.`,
      ...(fetch === null ? [] : [`In a clone of the same repository: ${oneLine(fetch)}`]),
      ...(bases.length === 0 && bundle !== null ? cloneLines(bundle, tips) : []),
    ],
  });
  return EXIT.done;
}

const BRANCHES = "refs/heads/";

/** A bundle does not say which branch HEAD was: git clones nothing out of it unless told. None: it has no branch to clone. */
function cloneLines(
  bundle: string,
  tips: readonly { readonly ref: string; readonly id: string }[],
): string[] {
  const head = tips.find(({ ref }) => ref === "HEAD")?.id;
  const branches = tips.filter(({ ref }) => ref.startsWith(BRANCHES));
  const branch = branches.find(({ id }) => id === head) ?? branches[0];
  if (branch === undefined) return [];
  const name = shellWord(branch.ref.slice(BRANCHES.length));
  return [`Or as a new one: ${oneLine(`git clone -b ${name} ${shellWord(bundle)}`)}`];
}

async function tellCopied(
  context: Context,
  { source: { id, session }, copied }: Extract<EndedRestore, { kind: "copied" }>,
  isDryRun: boolean,
): Promise<CommandEnd> {
  await context.out.result({
    command: "restore",
    json: {
      plan: {
        id: null,
        session,
        acts: [{ group: id, act: "restore", paths: copied.paths.map(pathForDisplay) }],
      },
      done: !isDryRun,
      conflicts: [],
      commit: null,
      undo: null,
      to: copied.to,
      left: copied.missing.map(({ path, why }) => ({ ...pathJson(path), why })),
    },
    text: () => [
      `${isDryRun ? "Would copy" : "Copied"} ${count(copied.paths.length, "path")} of capture ${shortId(id)} to ${oneLine(copied.to)}.`,
      ...copied.missing.map(({ path, why }) => `  not copied: ${shownPath(path)}: ${oneLine(why)}`),
    ],
  });
  return copied.missing.length > 0 && !isDryRun ? EXIT.attention : EXIT.done;
}
