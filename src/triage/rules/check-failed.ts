/** The user's check says no: whatever the agent says, the group is not called safe (T2). */
import { found, type Rule } from "./rule.ts";

export const checkFailedRule = {
  slug: "check-failed",
  weight: "note",
  voids: "check",
  about:
    "The user's check passes on HEAD alone, and not with this group, or not with it and the others together.",
  check: ({ facts: { verify }, id, members }) => {
    if (verify?.head !== "passed" || verify.groups.get(id) !== "failed") return [];
    const text = verify.clashing.includes(id)
      ? "It passes the user's check alone, and not together with the others."
      : "The user's check passes without it, and fails with it.";
    return [found(text, members, [`check: ${verify.command}`])];
  },
} as const satisfies Rule;
