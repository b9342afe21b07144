/** What was written to be used, and nothing uses: as when the work stopped before it was wired in. */
import { nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import type { GroupMember } from "../facts/member.ts";
import { OPEN_END_MIN_LINES } from "./evidence/source-ends.ts";
import { isSaidDone } from "./evidence/witnessed-ends.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

/** Places whose files are found by their place, and names that are ways in. */
const FOUND_BY_PLACE =
  /(?:^|\/)(?:tests?|__tests__|specs?|examples?|benchmarks?|bench|scripts?|bin|docs?|fixtures?|types?|typings|migrations?|plugins?|commands?|routes?|pages?|rules?|locales?|stories)\//;
const WAY_IN =
  /^(?:index|main|cli|server|app|__init__|__main__|conftest|setup|test|bench|browser|worker)\.|\.(?:d\.[mc]?ts|test\.\w+|spec\.\w+|stories\.\w+)$|^test_|_test\.py$/;

export const unusedFileRule = {
  slug: "unused-file",
  weight: "note",
  voids: "check",
  about: "A new file gives something, and nothing in the group takes it.",
  detail: `Not where an operation that ended said that it is done, and its capture has these bytes. JavaScript, TypeScript and Python, at least ${OPEN_END_MIN_LINES} lines. Not tests, examples, scripts, types, plug-ins, ways in, or what a package.json names.`,
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
  return !FOUND_BY_PLACE.test(path) && !WAY_IN.test(nameOfPath(path));
}
