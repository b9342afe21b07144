import { MANIFEST_GLOBS } from "../manifests.ts";
import type { Member } from "../member.ts";
import { found, type Rule } from "../rule.ts";
import { compareVersions } from "../versions/version-order.ts";

export const downgradeRule = {
  slug: "downgrade",
  weight: "risky",
  about: "A version went down in a known manifest.",
  detail: "Versions are compared as semver, PEP 440 or tags; what cannot be compared says nothing.",
  globs: Object.values(MANIFEST_GLOBS).flat(),
  check: ({ members }) =>
    members.flatMap((member) => {
      const lower = loweredIn(member);
      const [first] = lower;
      if (!first) return [];
      const more = lower.length > 1 ? ` and ${lower.length - 1} more` : "";
      return [found(`${member.path} takes ${first}${more} down.`, [member], lower)];
    }),
} as const satisfies Rule;

function loweredIn({ before, after }: Member): string[] {
  const [old, fresh] = [before?.versions, after?.versions];
  if (!old || !fresh) return [];
  return Object.entries(fresh).flatMap(([name, version]) => {
    const was = old[name];
    if (was === undefined) return [];
    const order = compareVersions(was, version);
    return order !== null && order < 0 ? [`${name} from ${was} to ${version}`] : [];
  });
}
