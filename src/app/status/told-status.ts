/** Where things stand, as every face's data has it (S7, DESIGN 10). */

import { count } from "../../text/counting.ts";
import { shellLineWord } from "../../text/escape.ts";
import { shortId } from "../../text/short-id.ts";
import type { RepositoryScope } from "../place/scope.ts";
import type { Status } from "./status.ts";
import type { WhyNotJudged } from "./status-groups.ts";

/** As many commands as a screen has room for. */
const MAX_NEXT = 4;

/** `typed`: commands as they can be typed where they are printed (T6). */
export function toldStatus(found: Status, scope: RepositoryScope, typed: (text: string) => string) {
  const { sessions, counts, tree, groups, notJudged, cutOff } = found;
  return {
    workspace: scope.workspace,
    worktrees: scope.places,
    counts,
    sessions,
    tree,
    groups,
    not_judged: notJudged.map(({ session, why }) => ({ session, why: whyText(why) })),
    cut_off: cutOff,
    next: nextCommands(found).map(typed),
  };
}

function nextCommands({ next, ids }: Pick<Status, "next" | "ids">): string[] {
  return next.slice(0, MAX_NEXT).map((step) => {
    switch (step.kind) {
      case "inspect-tree":
        return "refloat inspect";
      case "list-parked":
        return "refloat parked";
      case "follow":
        return `refloat log ${shellLineWord(shortId(step.session, ids))} --follow`;
      default:
        return `refloat ${step.kind} ${shellLineWord(shortId(step.session, ids))}`;
    }
  });
}

function whyText(why: WhyNotJudged): string {
  switch (why.kind) {
    case "newer-first":
      return "newer ones are shown first";
    case "many-paths":
      return `${count(why.changed, "path differs", "paths differ")} from ${why.from}`;
    case "failed":
      return why.error.message;
    default:
      return why satisfies never;
  }
}
