/** Rules about files that came or went, and whether the other half of that is there. */
import { nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { isReplacement } from "../links/group-links.ts";
import { isMigrationPath } from "../links/migrations.ts";
import type { OldNames } from "../links/old-names.ts";
import { isSaidDone } from "./evidence/closings.ts";
import { OPEN_END_MIN_LINES } from "./evidence/source-ends.ts";
import { aboutEach, found, naming, type Rule, type RuleFinding } from "./rule.ts";

export const deletionRule = {
  slug: "deletion",
  weight: "risky",
  remedy: "Keep it gone only if you meant it; discarding brings it back.",
  about: "A tracked file is gone, and nothing in the group replaces it.",
  detail:
    "A new file of the same name elsewhere, of the same stem beside it, or the index of a folder of its name replaces it.",
  check: (view) => {
    const came = view.members.filter(({ change }) => change.from === null && change.to !== null);
    return aboutEach(
      view,
      ({ path, change }) =>
        change.kind === "deleted" && !came.some((fresh) => isReplacement(path, fresh.path)) ? path : null,
      (count, first) =>
        `${naming(count, first, "is gone, and nothing replaces it", "are gone, and nothing replaces them")}.`,
    );
  },
} as const satisfies Rule;

export const halfMovedRule = {
  slug: "half-moved",
  weight: "note",
  remedy: "Finish the move, or drop one of the two.",
  voids: "check",
  about:
    "A new file is much the same as one that is still there, or lies where another change looks for a file that is nowhere, or a moved one is still named by its old path: a move whose second half is missing.",
  detail:
    "Languages whose references are followed: half of their lines are the same. Folders that hold the same files on purpose (two builds of one source) are told by their other files; migrations resemble one another, and are copies only where all bytes are the same. What is nowhere is sought in the same folder and by its name; old paths in every file of HEAD but journals.",
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

/** Places whose files are found by their place, and names that are ways in. */
const FOUND_BY_PLACE =
  /(?:^|\/)(?:tests?|__tests__|specs?|examples?|benchmarks?|bench|scripts?|bin|docs?|fixtures?|types?|typings|migrations?|plugins?|commands?|routes?|pages?|rules?|locales?|stories)\//;
const WAY_IN =
  /^(?:index|main|cli|server|app|__init__|__main__|conftest|setup|test|bench|browser|worker)\.|\.(?:d\.[mc]?ts|test\.\w+|spec\.\w+|stories\.\w+)$|^test_|_test\.(?:py|go)$/;

/** What was written to be used, and nothing uses: as when the work stopped before it was wired in. */
export const unusedFileRule = {
  slug: "unused-file",
  weight: "note",
  remedy: "Use it, or see whether it may come later.",
  voids: "check",
  about: "A new file gives something, and nothing in the group takes it.",
  detail: `Not where an operation that ended said that it is done, and its capture has these bytes. Languages whose references are followed, at least ${OPEN_END_MIN_LINES} lines. Not tests, examples, scripts, types, plug-ins, migrations, ways in, or what a package.json names.`,
  check: (view) => {
    const taken = new Set(view.taken);
    return aboutEach(
      view,
      (member) =>
        isIdle(member) && !taken.has(member.path) && !isSaidDone(member, view.operations, view.classes)
          ? `${member.path}: nothing names it`
          : null,
      (count, first) => `Nothing uses ${naming(count, first)} yet.`,
    );
  },
} as const satisfies Rule;

function isIdle({ change, after, path }: GroupMember): boolean {
  const gives = (after?.source?.exports.length ?? 0) > 0 || after?.source?.areExportsKnown === false;
  if (change.kind !== "added" || !gives || (after?.lines ?? 0) < OPEN_END_MIN_LINES) return false;
  return !FOUND_BY_PLACE.test(path) && !isMigrationPath(path) && !WAY_IN.test(nameOfPath(path));
}
