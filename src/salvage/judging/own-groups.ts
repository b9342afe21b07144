/** Whose a group is, as one who settles or shows it must know (W5). Pure. */
import { shownPath } from "../../text/shown-path.ts";
import type { Group } from "../../triage/verdict/group.ts";

/** Null: the session's own, all of it. */
export function whyNotOwn({ changes }: Group): string | null {
  const stranger = changes.find(({ owner }) => owner.owner !== "session");
  if (!stranger) return null;
  const path = shownPath(stranger.change.path);
  const { owner, ownerSession } = stranger.owner;
  switch (owner) {
    case "session":
      return null;
    case "before":
      return `${path} was so before the session began`;
    case "after":
      return `${path} changed after its end`;
    case "other":
      return `${path} is the session ${ownerSession ?? "?"}'s`;
    case "unknown":
      return `nothing ties ${path} to the session`;
    default:
      return owner satisfies never;
  }
}

/** Another session's work is never settled in this one's name, whoever names it. */
export const isOthers = ({ changes }: Group): boolean => changes.some(({ owner }) => owner.owner === "other");
