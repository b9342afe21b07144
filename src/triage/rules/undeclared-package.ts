import { found, type Rule } from "../rule.ts";

export const undeclaredPackageRule = {
  slug: "undeclared-package",
  weight: "note",
  about: "A file came to import a package that no package.json above it names.",
  detail: "JavaScript and TypeScript, where a package.json lies above the file.",
  check: ({ undeclared }) =>
    undeclared.map(({ member, packages }) =>
      found(
        `${member.path} imports ${packages.join(", ")}, which no package.json names.`,
        [member],
        packages.map((name) => `${member.path}: ${name}`),
      ),
    ),
} as const satisfies Rule;
