/** What the user's check said, as lines of a screen: the same where it is looked at and where it is acted on. */
import type { Verified } from "../salvage/verify.ts";
import { dependencyLines } from "./dependency-lines.ts";
import { hanging } from "./hanging.ts";
import { count, oneLine } from "./words.ts";

/** Lines of a command on the screen: whoever typed it knows it. */
const MAX_WRAPPED = 2;

export function checkLines(verified: Verified, columns: number): string[] {
  const { command, head, groups, clashing, untried, words, dependencies } = verified;
  const passed = [...groups.values()].filter((outcome) => outcome === "passed").length;
  const failed = [...groups.values()].filter((outcome) => outcome === "failed").length;
  const why = words.get("HEAD") ?? words.get("together");
  return [
    ...hanging(`Check: ${oneLine(command)}`, "  ", columns, MAX_WRAPPED),
    head === "passed"
      ? `  passes on HEAD, and with ${count(passed, "group")}; fails with ${failed}${untried > 0 ? `, ${untried} not tried` : ""}`
      : `  ${head === "failed" ? "fails" : "cannot be run"} on HEAD alone: it is no evidence`,
    ...clashLines(clashing),
    ...(why === undefined ? [] : hanging(`  ${oneLine(why.slice(-160))}`, "  ", columns)),
    ...dependencyLines(dependencies),
  ];
}

/** Groups named on the screen; JSON has all. */
const SHOWN_CLASHING = 4;

function clashLines(clashing: readonly string[]): string[] {
  if (clashing.length === 0) return [];
  const more = clashing.length > SHOWN_CLASHING ? ` and ${clashing.length - SHOWN_CLASHING} more` : "";
  return [
    `  pass alone, not together: ${clashing.slice(0, SHOWN_CLASHING).join(", ")}${more}`,
    "  so none of them counts as checked",
  ];
}
