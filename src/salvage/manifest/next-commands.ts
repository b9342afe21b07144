/** What to type now, the command that helps most first. Pure. */
import { ruleOf } from "../../triage/rules/table.ts";
import type { Reason } from "../../triage/verdict/group.ts";
import { whyNotOwn } from "../judging/own-groups.ts";
import type { Salvage } from "../judging/salvage.ts";

/** Whether there is work that a check would make safe: nobody said that it is done, and nothing else speaks against it. */
export const wantsCheck = ({ groups }: Pick<Salvage, "groups">): boolean =>
  groups.some(
    ({ verdict, reasons }) =>
      verdict === "unknown" &&
      reasons.some(hasRemedy) &&
      reasons.every((reason) => ruleOf(reason).voids === "word"),
  );

function hasRemedy(reason: Reason): boolean {
  const { remedy } = ruleOf(reason);
  return remedy !== undefined && reason.message.endsWith(remedy);
}

/** `check`: the one the project most likely has; null: nothing says. */
export function nextCommands(
  { session, groups, leftovers, owned }: Salvage,
  check: string | null = null,
): string[] {
  if (session.state === "live") return [`refloat show ${session.id}`];
  if (groups.length === 0) return [];
  // A plain folder that nobody worked in has nothing to compare with: held as it is now, it has from then on.
  const isFolder = owned.now.reading.head === null;
  if (session.isImplied && isFolder) return ["refloat capture"];
  if (session.isImplied) return ["refloat settle --adopt --dry-run", "refloat diff HEAD now"];
  // Put back first, it can be looked at; settling does that by itself (W8).
  if (owned.held) return [`refloat restore ${session.id}`, `refloat settle ${session.id}`];
  // What refloat leaves alone is not stopped by asking again: the list of processes says what ends it.
  const stop = leftovers.some(({ kept }) => kept === null)
    ? [`refloat inspect ${session.id} --stop-leftovers`]
    : [];
  const own = groups.some((group) => whyNotOwn(group) === null);
  const verify =
    own && check !== null && wantsCheck({ groups })
      ? [`refloat inspect ${session.id} --verify '${check}'`]
      : [];
  return own
    ? [...stop, ...verify, `refloat settle ${session.id}`]
    : [...stop, isFolder ? "refloat diff" : "refloat diff HEAD now"];
}
