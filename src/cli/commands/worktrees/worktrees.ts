/** `worktrees [--all]`: every work tree with its verdict, `removable` only on proof. Reads only. */

import { workspaceHere } from "../../../app/place/workspace-here.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { PathName } from "../../../model/path-name.ts";
import type { WorktreeVerdict } from "../../../salvage/worktrees/worktrees.ts";
import { shellWord } from "../../../text/shell-word.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { displayWidth } from "../../../text/width.ts";
import type { GitWorkspace } from "../../../workspace/opening/workspace.ts";
import { openTrustedOrNull } from "../../../workspace/trust/open-trusted.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { count, oneLine } from "../../screen/words.ts";
import { worktreesHere } from "./worktrees-here.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const verdicts = isSet(input, "all") ? await everywhere(context) : await here(context);
  await context.out.result({
    command: "worktrees",
    json: { worktrees: verdicts },
    text: () => lines(context, verdicts),
  });
  return EXIT.done;
}

async function here(context: Context): Promise<WorktreeVerdict[]> {
  const here = await workspaceHere(context, await context.findStore());
  if (here.workspace.kind === "folder")
    throw new RefloatError("E_NO_GIT", { path: here.workspace.root, why: "there are no work trees" });
  return worktreesHere(context, here, here.workspace);
}

/** The repositories of every session the store knows, each once. Those that are gone are left out. */
async function everywhere(context: Context): Promise<WorktreeVerdict[]> {
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  const places = new Set([here.place]);
  for (const row of (await store?.raw.sessions()) ?? []) {
    if (typeof row.facts.workspace === "string" && row.facts.workspace !== "")
      places.add(row.facts.workspace);
  }
  const found = new Map<string, GitWorkspace>();
  for (const place of places) {
    // A repository that leads elsewhere is nobody's to list here; whoever stands in it is told.
    const workspace = openTrustedOrNull(store?.raw ?? null, place, here.env);
    if (workspace?.kind === "git") found.set(workspace.location.commonDir, workspace);
  }
  const all: WorktreeVerdict[] = [];
  for (const workspace of found.values()) all.push(...(await worktreesHere(context, here, workspace)));
  return all;
}

/** Under the path, behind the verdict. */
const INDENT = " ".repeat("removable  ".length);

function lines(context: Context, verdicts: readonly WorktreeVerdict[]): string[] {
  const { columns, style } = context.out;
  const { bold, dim, green } = style;
  const shown = verdicts.flatMap(({ path, branch, head, verdict, reasons }) => {
    const where = branch === null ? `detached at ${head?.slice(0, 12) ?? "no commit"}` : oneLine(branch);
    const word = verdict === "removable" ? green("removable") : "keep     ";
    const name = shownPath(path as PathName);
    const isWide = displayWidth(`${INDENT}${name}  ${where}`) > columns;
    return [
      `${word}  ${bold(name)}${isWide ? "" : `  ${dim(where)}`}`,
      ...(isWide ? hanging(INDENT + where, INDENT, columns).map(dim) : []),
      ...reasons.flatMap((one) => hanging(INDENT + oneLine(one), INDENT, columns).map(dim)),
    ];
  });
  const removable = verdicts.filter(({ verdict }) => verdict === "removable");
  if (removable.length === 0) return [...shown, "", "None may go without losing something."];
  const [first] = removable;
  const which = removable.length === 1 ? oneLine(shellWord(first?.path ?? "")) : "--removable";
  const next = dim(context.out.typed(`  refloat worktrees remove ${which}`));
  return [...shown, "", `${count(removable.length, "work tree")} may go:`, next];
}
