import type { GroupMember } from "../facts/member.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

const MAX_SHOWN = 5;

export const looseNamesRule = {
  slug: "loose-names",
  weight: "note",
  voids: "check",
  about:
    "A file uses a name that nothing defines, or defines one that nothing uses, and did not before: as when an end is missing.",
  detail:
    "JavaScript and TypeScript, also types of types; of Python unused imports only. By name, not by scope, so it errs towards saying nothing.",
  check: (view) =>
    aboutEach(
      view,
      evidenceOf,
      (count, first) => `${naming(count, first, "has names", "have names")} whose other end is missing.`,
    ),
} as const satisfies Rule;

function evidenceOf({ path, before, after }: GroupMember): string | null {
  const [was, is] = [before?.source, after?.source];
  if (!is) return null;
  const undefinedNow = fresh(is.undefinedNames, was?.undefinedNames);
  if (undefinedNow.length > 0) return `${path}: ${shown(undefinedNow)} is defined nowhere`;
  const unusedNow = fresh(is.unusedNames, was?.unusedNames);
  return unusedNow.length > 0 ? `${path}: nothing uses ${shown(unusedNow)}` : null;
}

const fresh = (now: readonly string[], then: readonly string[] | undefined): string[] =>
  now.filter((name) => !then?.includes(name));

const shown = (names: readonly string[]): string => names.slice(0, MAX_SHOWN).join(", ");
