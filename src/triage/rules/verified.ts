import { found, type Rule } from "./rule.ts";

export const verifiedRule = {
  slug: "verified",
  weight: "safe",
  restsOn: "check",
  about:
    "The user's check passes on HEAD with what can be kept of the session's work in a scratch tree, this group in it, and passes on HEAD alone.",
  detail:
    "In place of the agent's word, in any language; not for a file that a note speaks of. Of work that somebody said is done, if only by ending with 0, it takes the doubts `open-end`, `no-evidence` and `unseen-name` away, never anything risky.",
  check: ({ facts: { verify }, id, members }) => {
    if (verify?.head !== "passed" || verify.groups.get(id) !== "passed") return [];
    return [found("The user's check passes with it, and without it.", members, [`check: ${verify.command}`])];
  },
} as const satisfies Rule;
