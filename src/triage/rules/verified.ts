import { found, type Rule } from "../rule.ts";

export const verifiedRule = {
  slug: "verified",
  weight: "safe",
  about: "The user's check passes on HEAD with this group in a scratch tree, and passes on HEAD alone.",
  detail: "In place of the agent's word, in any language; not for a file that a note speaks of.",
  check: ({ facts: { verify }, id, members }) => {
    if (verify?.head !== "passed" || verify.groups.get(id) !== "passed") return [];
    return [found("The user's check passes with it, and without it.", members, [`check: ${verify.command}`])];
  },
} as const satisfies Rule;
