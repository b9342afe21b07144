/** What to type now, the command that helps most first; a check that is proposed is named in it, never run (T2). Pure. */

import { shellLineWord } from "../../text/escape.ts";
import { whyNotOwn } from "../judging/judged-groups.ts";
import type { Salvage } from "../judging/salvage.ts";

/** Checks of one command: of more languages than these nobody types one. */
const MAX_CHECKS = 3;

/** The check that the project itself seems to have for what wants nothing else; null: nothing wants one, or nothing says which. */
export function likelyCheck({ groups }: Pick<Salvage, "groups">): string | null {
  const named = groups.flatMap(({ reasons }) => reasons.flatMap(({ check }) => check ?? []));
  const checks = [...new Set(named)].slice(0, MAX_CHECKS);
  return checks.length === 0 ? null : checks.join(" && ");
}

/** What is settled first is not in the way of who goes on. */
export function nextCommands(found: Salvage): string[] {
  const { session, goesOn } = found;
  return [...aboutWork(found), ...(goesOn ? [resumeCommand(session.id)] : [])];
}

export const resumeCommand = (session: string): string => `refloat resume ${shellLineWord(session)}`;

function aboutWork({ session, groups, leftovers, owned }: Salvage): string[] {
  if (session.state === "live") return [`refloat show ${shellLineWord(session.id)}`];
  if (groups.length === 0) return [];
  // A plain folder that nobody worked in has nothing to compare with: held as it is now, it has from then on.
  const isFolder = owned.now.reading.head === null;
  if (session.isImplied && isFolder) return ["refloat capture"];
  const check = likelyCheck({ groups });
  if (session.isImplied) {
    const verify = check === null ? [] : [`refloat inspect --verify ${shellLineWord(check)}`];
    return [...verify, "refloat settle --adopt --dry-run", "refloat diff HEAD now"];
  }
  // Put back first, it can be looked at; settling does that by itself (W8).
  if (owned.held)
    return [`refloat restore ${shellLineWord(session.id)}`, `refloat settle ${shellLineWord(session.id)}`];
  // What refloat leaves alone is not stopped by asking again: the list of processes says what ends it.
  const stop = leftovers.some(({ kept }) => kept === null)
    ? [`refloat inspect ${shellLineWord(session.id)} --stop-leftovers`]
    : [];
  const verify =
    check === null ? [] : [`refloat inspect ${shellLineWord(session.id)} --verify ${shellLineWord(check)}`];
  const own = groups.some((group) => whyNotOwn(group) === null);
  return own
    ? [...stop, ...verify, `refloat settle ${shellLineWord(session.id)}`]
    : [...stop, isFolder ? "refloat diff" : "refloat diff HEAD now"];
}
