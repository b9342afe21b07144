import { found, type Rule } from "./rule.ts";

export const missingExportRule = {
  slug: "missing-export",
  weight: "risky",
  about: "Something wants a name of a file that does not give it: in the group, or in an unchanged file.",
  detail:
    "JavaScript, TypeScript and Python, also as members of what was taken whole, by aliases and through files that hand them on. Names of a file whose exports cannot be read off are never called missing.",
  check: ({ references, members }) => {
    const missing = references.broken.filter(({ kind }) => kind === "missing-export");
    const [first] = missing;
    if (!first) return [];
    const evidence = missing.map(
      ({ from, line, specifier, names }) => `${from}:${line} wants ${names.join(", ")} of ${specifier}`,
    );
    return [
      found(
        `${first.from} wants ${first.names.join(", ")} of ${first.specifier}, which does not give it.`,
        members,
        evidence,
      ),
    ];
  },
} as const satisfies Rule;
