/** Rules about manifests and lockfiles: versions that went down, dependencies that are declared in one place and not in the other. */
import { firstNameOf } from "../facts/known/python-modules.ts";
import { LOCKFILES, MANIFEST_GLOBS, packageOf } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { found, type Rule } from "./rule.ts";

export const downgradeRule = {
  slug: "downgrade",
  weight: "risky",
  remedy: "Keep it only if you meant it.",
  about: "A version went down in a known manifest.",
  detail: "Versions are compared as semver, PEP 440 or tags; what cannot be compared says nothing.",
  globs: Object.values(MANIFEST_GLOBS).flat(),
  check: ({ lowered }) =>
    lowered.map(({ member, versions, line }) => {
      const more = versions.length > 1 ? ` and ${versions.length - 1} more` : "";
      const place = line === null ? member.path : `${member.path}:${line}`;
      return found(`${place} lowers a version: ${versions[0]}${more}.`, [member], versions);
    }),
} as const satisfies Rule;

export const lockfileRule = {
  slug: "lockfile",
  weight: "risky",
  remedy: "Run the package manager, so that both agree.",
  about: "A manifest's dependencies changed without its lockfile, or the reverse, or the two do not agree.",
  get detail(): string {
    const rows = Object.entries(LOCKFILES).map(([manifest, locks]) => `${manifest}: ${locks.join(", ")}`);
    return rows.join("; ");
  },
  check: ({ locks }) => locks.map(({ message, members, evidence }) => found(message, members, evidence)),
} as const satisfies Rule;

export const undeclaredPackageRule = {
  slug: "undeclared-package",
  weight: "note",
  remedy: "Add it there, or take the import out.",
  voids: "check",
  about:
    "A file came to import a package that nothing declares: no package.json, go.mod or Cargo.toml above it; of Python also a file beside it that may be yet to come.",
  detail:
    "JavaScript and TypeScript, where a package.json lies above the file. Python: not in the workspace, not Python's own, in no requirements, pyproject.toml, setup.cfg, setup.py, Pipfile, tox.ini or environment file, and imported by no file of HEAD. Not what is imported inside `try` or `if`. Go: what a host serves, in no `require` and not in `vendor`. Rust: crates that no word of the nearest Cargo.toml names.",
  check: ({ undeclared }) =>
    undeclared.map(({ member, packages }) =>
      found(
        `${placeOf(member, packages[0] ?? "")} imports ${packages.join(", ")}, ${whyOf(member)}.`,
        [member],
        packages.map((name) => `${placeOf(member, name)}: ${name}`),
      ),
    ),
} as const satisfies Rule;

/** With the line of the first import that names it. */
function placeOf({ path, after }: GroupMember, name: string): string {
  const isOf = ({ specifier }: { readonly specifier: string }): boolean =>
    packageOf(specifier) === name ||
    firstNameOf(specifier) === name ||
    specifier.split("::")[1] === name ||
    specifier === name;
  const lines = (after?.source?.references ?? []).filter(isOf).map(({ line }) => line);
  return lines.length > 0 ? `${path}:${Math.min(...lines)}` : path;
}

function whyOf({ after }: GroupMember): string {
  switch (after?.language) {
    case "python":
      return "which is not here, and nothing says that it is a package";
    case "go":
      return "which its go.mod does not name";
    case "rust":
      return "which its Cargo.toml does not name";
    default:
      return "which no package.json names";
  }
}
