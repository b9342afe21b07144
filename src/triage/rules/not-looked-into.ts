import { unlookedWhy } from "../facts/known/unlooked-facts.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

export const notLookedIntoRule = {
  slug: "not-looked-into",
  weight: "note",
  voids: "all",
  about:
    "A parser could not take a file, or died of it: nested too deep, too slow, too large for its memory. Nothing is evidence for safe then.",
  detail:
    "Of the file as it is or as it was. What may need much is parsed in a process of its own, so that its death costs this file its evidence and nothing else.",
  check: (view) =>
    aboutEach(
      view,
      ({ path, before, after }) => {
        const why = unlookedWhy(after) ?? unlookedWhy(before);
        return why === null ? null : `${path}: ${why}`;
      },
      (count, first) => `${naming(count, first)} could not be looked into.`,
    ),
} as const satisfies Rule;
