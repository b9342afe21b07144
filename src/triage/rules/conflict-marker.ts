import { aboutEach, naming, type Rule } from "./rule.ts";

export const conflictMarkerRule = {
  slug: "conflict-marker",
  weight: "risky",
  about: "Conflict markers came into a file.",
  check: (view) =>
    aboutEach(
      view,
      ({ path, before, after }) =>
        after?.conflictAt != null && before?.conflictAt == null ? `${path}:${after.conflictAt}` : null,
      (count, first) => `${naming(count, first, "has conflict", "have conflict")} markers.`,
    ),
} as const satisfies Rule;
