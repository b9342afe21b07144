/** `guard PATH [--hold]`: exit 0 only when nothing in the folder would be lost; else 1, never 2 (agents read that as "block"). */
import { type GuardOutcome, guard } from "../../../app/worktrees/guard.ts";
import { type PathName, pathForDisplay } from "../../../model/path-name.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { count, oneLine } from "../../screen/words.ts";

/** Findings shown one by one; the rest is in the JSON. */
const MAX_SHOWN = 20;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const outcome = await guard(context, { path: textArgument(input, 0) ?? "", holds: isSet(input, "hold") });
  const { typed } = context.out;
  await context.out.result({
    command: "guard",
    json: {
      path: outcome.path,
      verdict: outcome.verdict,
      trees: outcome.trees.map(({ path, kind, goes, capture, holdsCommits, ignored }) => ({
        ...{ path, kind, goes, capture, holds_commits: holdsCommits, ignored_not_held: ignored },
      })),
      findings: outcome.findings.map((one) => findingJson(one, typed)),
      notes: outcome.notes.map((one) => findingJson(one, typed)),
      back: outcome.back.map(typed),
    },
    text: () => lines(context, outcome),
  });
  return outcome.verdict === "removable" ? EXIT.done : EXIT.failed;
}

type Finding = GuardOutcome["findings"][number];

const findingJson = (
  { kind, tree, message, count: times, paths, command }: Finding,
  typed: (command: string) => string,
): Record<string, unknown> => ({
  ...{ kind, tree, message, count: times },
  paths: paths.map(pathForDisplay),
  command: command && typed(command),
});

function lines(context: Context, { path, verdict, findings, notes, trees, back }: GuardOutcome): string[] {
  const { bold, dim, green, yellow } = context.out.style;
  const { columns, typed } = context.out;
  const shown = (one: Finding): string[] => [
    ...hanging(`  ${oneLine(one.message)}`, "    ", columns),
    ...(one.command === null ? [] : [dim(`      ${typed(one.command)}`)]),
  ];
  const name = bold(shownPath(path as PathName));
  const rest = findings.length - MAX_SHOWN;
  const letBe = new Map<string, number>();
  for (const { whyIgnored } of trees)
    for (const [why, times] of Object.entries(whyIgnored)) letBe.set(why, (letBe.get(why) ?? 0) + times);
  return [
    verdict === "removable"
      ? `${green("removable")}  ${name}: nothing in it would be lost.`
      : `${yellow("keep")}  ${name}: this would be lost:`,
    ...findings.slice(0, MAX_SHOWN).flatMap(shown),
    ...(rest > 0 ? [`  and ${count(rest, "more", "more")}`] : []),
    ...notes.map((one) => dim(`  ${oneLine(one.message)}; its work is held`)),
    ...[...letBe].map(([why, times]) =>
      dim(`  ${count(times, "ignored folder or file", "ignored folders and files")} not held: ${why}`),
    ),
    ...(back.length > 0
      ? ["What was held comes back by:", ...back.map((one) => dim(`  ${typed(one)}`))]
      : []),
  ];
}
