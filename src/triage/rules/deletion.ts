import { isReplacement } from "../links/group-links.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

export const deletionRule = {
  slug: "deletion",
  weight: "risky",
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
