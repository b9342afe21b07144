import { aboutEach, naming, type Rule } from "./rule.ts";

export const binaryRule = {
  slug: "binary",
  weight: "risky",
  about: "A binary file was replaced, or a text became one.",
  check: (view) =>
    aboutEach(
      view,
      ({ path, before, after }) =>
        before && after && (before.isBinary || after.isBinary)
          ? `${path}: ${before.size} bytes became ${after.size}`
          : null,
      (count, first) => `${naming(count, first, "is binary and was", "are binary and were")} replaced.`,
    ),
} as const satisfies Rule;
