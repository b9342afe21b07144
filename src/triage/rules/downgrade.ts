import { loweredVersions } from "../facts/manifests/lowered-versions.ts";
import { MANIFEST_GLOBS } from "../facts/manifests/manifest-kinds.ts";
import { found, type Rule } from "./rule.ts";

export const downgradeRule = {
  slug: "downgrade",
  weight: "risky",
  about: "A version went down in a known manifest.",
  detail: "Versions are compared as semver, PEP 440 or tags; what cannot be compared says nothing.",
  globs: Object.values(MANIFEST_GLOBS).flat(),
  check: ({ members }) =>
    members.flatMap((member) => {
      const lower = loweredVersions(member.before?.versions, member.after?.versions);
      const [first] = lower;
      if (!first) return [];
      const more = lower.length > 1 ? ` and ${lower.length - 1} more` : "";
      return [found(`${member.path} takes ${first}${more} down.`, [member], lower)];
    }),
} as const satisfies Rule;
