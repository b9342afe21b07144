import type { GroupMember } from "../facts/member.ts";
import { found, type Rule } from "./rule.ts";

export const undeclaredPackageRule = {
  slug: "undeclared-package",
  weight: "note",
  voids: "check",
  about:
    "A file came to import a package that nothing declares: no package.json above it; of Python also a file beside it that may be yet to come.",
  detail:
    "JavaScript and TypeScript, where a package.json lies above the file. Python: not in the workspace, not Python's own, in no requirements, pyproject.toml, setup.cfg, setup.py, Pipfile, tox.ini or environment file, and imported by no file of HEAD. Not what is imported inside `try` or `if`.",
  check: ({ undeclared }) =>
    undeclared.map(({ member, packages }) =>
      found(
        `${member.path} imports ${packages.join(", ")}, ${whyOf(member)}.`,
        [member],
        packages.map((name) => `${member.path}: ${name}`),
      ),
    ),
} as const satisfies Rule;

const whyOf = ({ after }: GroupMember): string =>
  after?.language === "python"
    ? "which is not here, and nothing says that it is a package"
    : "which no package.json names";
