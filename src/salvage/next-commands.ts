/** What to type now, the command that helps most first. Pure. */
import type { Salvage } from "./salvage.ts";
import { whyNotOwn } from "./settle-policy.ts";

export function nextCommands({ session, groups, leftovers, owned }: Salvage): string[] {
  if (session.state === "live") return [`refloat show ${session.id}`];
  if (groups.length === 0) return [];
  // A plain folder that nobody worked in has nothing to compare with: held as it is now, it has from then on.
  const isFolder = owned.now.reading.head === null;
  if (session.isImplied && isFolder) return ["refloat capture"];
  if (session.isImplied) return ["refloat settle --adopt --dry-run", "refloat diff HEAD now"];
  const stop = leftovers.length > 0 ? [`refloat inspect ${session.id} --stop-leftovers`] : [];
  const own = groups.some((group) => whyNotOwn(group) === null);
  return own
    ? [...stop, `refloat settle ${session.id}`]
    : [...stop, isFolder ? "refloat diff" : "refloat diff HEAD now"];
}
