import { found, type Rule } from "../rule.ts";

export const halfMovedRule = {
  slug: "half-moved",
  weight: "note",
  about:
    "A new file is much the same as one that is still there, or nothing names it where another change looks for a file that is nowhere: a move whose second half is missing.",
  detail:
    "JavaScript, TypeScript and Python: half of their lines are the same. Folders that hold the same files on purpose (two builds of one source) are told by their other files.",
  check: ({ copies, strays }) => [
    ...copies.map(({ member, of }) =>
      found(
        `${member.path} is much the same as ${of}, which is still there.`,
        [member],
        [`${member.path}: like ${of}`],
      ),
    ),
    ...strays.map(({ member, from, specifier }) =>
      found(
        `Nothing names ${member.path}, and ${from} looks for ${specifier}, which is not there.`,
        [member],
        [`${from} names ${specifier}`],
      ),
    ),
  ],
} as const satisfies Rule;
