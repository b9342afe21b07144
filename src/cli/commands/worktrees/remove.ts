/** `worktrees remove (PATH... | --removable)`: removes work trees that may go, each held whole first; `undo` brings all of them back. */
import {
  type RemovalOutcome,
  removalPlan,
  removeWorktrees,
} from "../../../app/worktrees/remove-worktrees.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, mayAct } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, listArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const isAll = isSet(input, "removable");
  const typed = listArgument(input, 0);
  if (isAll === typed.length > 0) throw usage("Name the work trees to remove, or say --removable.");
  const how = {
    mayAct: mayAct(context),
    ask: async (planned: readonly RemovalOutcome[]): Promise<"yes" | "no"> => {
      const text = (): string[] => planned.map(({ path }) => `remove  ${oneLine(path)}`);
      return (await confirmed(context, { json: { ...removalPlan(planned) }, text })) ? "yes" : "no";
    },
  };
  const ended = await removeWorktrees(context, how, {
    paths: isAll ? null : typed,
    isDryRun: isSet(input, "dryRun"),
    dropsIgnored: isSet(input, "dropIgnored"),
  });
  switch (ended.kind) {
    case "planned":
    case "done":
      return tell(context, ended.worktrees, ended.kind === "done");
    case "nothing":
      return nothingToRemove(context);
    case "declined":
      return EXIT.failed;
    default:
      return ended satisfies never;
  }
}

async function nothingToRemove(context: Context): Promise<CommandEnd> {
  await context.out.result({
    command: "worktrees-remove",
    json: { plan: removalPlan([]), done: true, conflicts: [], commit: null, undo: null, worktrees: [] },
    text: () => [
      context.out.typed(
        "No work tree may go without losing something. `refloat worktrees` says why of each.",
      ),
    ],
  });
  return EXIT.done;
}

async function tell(
  context: Context,
  outcomes: readonly RemovalOutcome[],
  isDone: boolean,
): Promise<CommandEnd> {
  const { green, dim } = context.out.style;
  await context.out.result({
    command: "worktrees-remove",
    json: {
      plan: removalPlan(outcomes),
      done: isDone,
      conflicts: [],
      commit: null,
      undo: isDone ? context.out.typed("refloat undo") : null,
      worktrees: outcomes.map(({ plan: _plan, ...outcome }) => outcome),
    },
    text: () => [
      ...outcomes.map(({ path, files, dropped }) =>
        isDone
          ? `${green("removed")}  ${oneLine(path)}  ${dim(`${count(files, "file")} held${dropped > 0 ? `, ${dropped} ignored ones let go` : ""}`)}`
          : `remove  ${oneLine(path)}`,
      ),
      ...(isDone ? [dim(context.out.typed("Taken back by: refloat undo"))] : []),
    ],
  });
  return EXIT.done;
}
