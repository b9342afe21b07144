import type { OldNames } from "../links/old-names.ts";
import { found, naming, type Rule, type RuleFinding } from "./rule.ts";

export const halfMovedRule = {
  slug: "half-moved",
  weight: "note",
  voids: "check",
  about:
    "A new file is much the same as one that is still there, or lies where another change looks for a file that is nowhere, or a moved one is still named by its old path: a move whose second half is missing.",
  detail:
    "JavaScript, TypeScript and Python: half of their lines are the same. Folders that hold the same files on purpose (two builds of one source) are told by their other files. What is nowhere is sought in the same folder and by its name; old paths in every file of HEAD but journals.",
  check: ({ copies, strays, oldNames }) => [
    ...copies.map(({ member, of }) =>
      found(
        `${member.path} is much the same as ${of}, which is still there.`,
        [member],
        [`${member.path}: like ${of}`],
      ),
    ),
    ...strays.map(({ member, from, specifier }) =>
      found(
        `${member.path} is new, and ${from} looks for ${specifier}, which is not there.`,
        [member],
        [`${from} names ${specifier}`],
      ),
    ),
    ...(oldNames ? [leftBehind(oldNames)] : []),
  ],
} as const satisfies Rule;

function leftBehind({ members, by }: OldNames): RuleFinding {
  const [first] = by ?? [];
  return first === undefined || by === null
    ? found("Who still names what moved could not be looked for.", members, [])
    : found(
        `${naming(by.length, first, "still names by its old path", "still name by its old path")} what moved.`,
        members,
        by.map((path) => `${path}: names an old path`),
      );
}
