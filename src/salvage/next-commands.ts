/** What to type now, the command that helps most first. Pure. */
import type { Salvage } from "./salvage.ts";

export function nextCommands({ session, groups }: Salvage): string[] {
  if (session.state === "live") return [`refloat show ${session.id}`];
  return groups.length === 0 ? [] : ["refloat diff HEAD now"];
}
