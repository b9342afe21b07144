/** `worktrees [--all]`: every work tree with its verdict, `removable` only on proof. Reads only. */

import { listWorktreesOf } from "../../../app/worktrees/worktrees.ts";
import type { PathName } from "../../../model/path-name.ts";
import type { WorktreeVerdict } from "../../../salvage/worktrees/worktrees.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { displayWidth } from "../../../text/width.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { count, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const verdicts = await listWorktreesOf(context, isSet(input, "all") ? "all" : "repository");
  await context.out.result({
    command: "worktrees",
    json: { worktrees: verdicts },
    text: () => lines(context, verdicts),
  });
  return EXIT.done;
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
  const which = removable.length === 1 ? shellLineWord(first?.path ?? "") : "--removable";
  const next = dim(context.out.typed(`  refloat worktrees remove ${which}`));
  return [...shown, "", `${count(removable.length, "work tree")} may go:`, next];
}
