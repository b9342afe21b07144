import { found, type Rule } from "./rule.ts";

export const missingFileRule = {
  slug: "missing-file",
  weight: "risky",
  about:
    "Something refers to a file that is not there: in the group, or in an unchanged file that named one of it.",
  detail:
    "JavaScript, TypeScript and Python imports, also by `paths` and `baseUrl` of a tsconfig.json, `imports` of a package.json and names of packages of the workspace, the ways in that a package.json names, and files and modules that it, a pyproject.toml or a Cargo.toml names, where they were there or their folder is. Followed in HEAD with the group laid upon it.",
  check: ({ references, members }) => {
    const missing = references.broken.filter(({ kind }) => kind === "missing-file");
    const [first] = missing;
    if (!first) return [];
    const evidence = missing.map(({ from, line, specifier }) => `${from}:${line} names ${specifier}`);
    const more = missing.length > 1 ? ` and ${missing.length - 1} more` : "";
    return [found(`${first.from} names ${first.specifier}${more}, which is not there.`, members, evidence)];
  },
} as const satisfies Rule;
