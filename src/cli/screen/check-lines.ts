/** What the user's check said, as lines of a screen: the same where it is looked at and where it is acted on. */
import type { CheckedSalvage } from "../../salvage/check/checked-salvage.ts";
import type { VerifiedGroups } from "../../salvage/check/verify.ts";
import type { CheckOutcome, VerifyFact } from "../../triage/facts/known/triage-facts.ts";
import { dependencyLines } from "./dependency-lines.ts";
import { hanging } from "./hanging.ts";
import { count, oneLine } from "./words.ts";

/** Lines of a command on the screen: whoever typed it knows it. */
const MAX_WRAPPED = 2;

/** Of one that was run, or whose last run counts; nothing of one that is in no verdict. */
export function checkedLines({ checked, verified }: CheckedSalvage, columns: number): string[] {
  if (verified) return checkLines(verified, columns);
  return checked.kind === "kept" ? keptLines(checked.said, columns) : [];
}

/** S7: not run now, and in the verdicts all the same. */
function keptLines({ command, head, groups, clashing }: VerifyFact, columns: number): string[] {
  const said = head === "passed" ? groupsLine({ groups, clashing, untried: 0 }) : noEvidenceLine(head);
  return [
    ...hanging(`Check: ${oneLine(command)}`, "  ", columns, MAX_WRAPPED),
    "  not run now; its last run was on this very content:",
    said,
  ];
}

const noEvidenceLine = (head: CheckOutcome): string =>
  `  ${head === "failed" ? "fails" : "cannot be run"} on HEAD alone: it is no evidence`;

export function checkLines(verified: VerifiedGroups, columns: number): string[] {
  const { command, head, clashing, words, dependencies } = verified;
  const why = words.get("HEAD") ?? words.get("together");
  return [
    ...hanging(`Check: ${oneLine(command)}`, "  ", columns, MAX_WRAPPED),
    head === "passed" ? groupsLine(verified) : noEvidenceLine(head),
    ...clashLines(clashing, columns),
    ...(why === undefined ? failedLines(verified, columns) : saidLines("", why, columns)),
    ...dependencyLines(dependencies),
  ];
}

/** Groups whose failing is told on the screen. */
const SHOWN_FAILED = 3;
/** Of what a check says the end, where programs say why. */
const SHOWN_CHARS = 160;

function failedLines({ groups, words }: VerifiedGroups, columns: number): string[] {
  const failed = [...groups].flatMap(([id, outcome]) => {
    const said = outcome === "failed" ? words.get(id) : undefined;
    return said === undefined ? [] : [{ id, said }];
  });
  return failed.slice(0, SHOWN_FAILED).flatMap(({ id, said }) => saidLines(`${id}: `, said, columns));
}

const saidLines = (of: string, said: string, columns: number): string[] =>
  hanging(`  ${of}${oneLine(said.slice(-SHOWN_CHARS))}`, "  ", columns);

/** What each group does by itself; what they do together is on the next line. */
function groupsLine({
  groups,
  clashing,
  untried,
}: Pick<VerifiedGroups, "groups" | "clashing" | "untried">): string {
  const of = (wanted: CheckOutcome): number =>
    [...groups.values()].filter((outcome) => outcome === wanted).length;
  const failed = of("failed") - clashing.length;
  const passed = of("passed");
  const together = passed > 0 || clashing.length === 0 ? [count(passed, "group")] : [];
  const alone = clashing.length > 0 ? [`${count(clashing.length, "group")} alone`] : [];
  const rest = untried > 0 ? `, ${untried} not tried` : "";
  return `  passes on HEAD, and with ${[...together, ...alone].join(", with ")}; fails with ${failed}${rest}`;
}

/** Groups named on the screen; JSON has all. */
const SHOWN_CLASHING = 4;

function clashLines(clashing: readonly string[], columns: number): string[] {
  if (clashing.length === 0) return [];
  const more = clashing.length > SHOWN_CLASHING ? ` and ${clashing.length - SHOWN_CLASHING} more` : "";
  return [
    ...hanging("  fails with these together, so none of them counts as checked:", "  ", columns),
    ...hanging(`    ${clashing.slice(0, SHOWN_CLASHING).join(", ")}${more}`, "    ", columns),
  ];
}
