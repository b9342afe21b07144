import { aboutEach, naming, type Rule } from "./rule.ts";

export const parseRule = {
  slug: "parse",
  weight: "risky",
  about: "A file no longer parses.",
  detail:
    "JavaScript, TypeScript, Python, Go, Rust, Java, C, C++, Ruby, PHP, shell, CSS, JSON, YAML, TOML. What did not parse before is not newly broken.",
  check: (view) =>
    aboutEach(
      view,
      ({ path, before, after }) => {
        if (after?.parse.kind !== "broken" || before?.parse.kind === "broken") return null;
        return `${path}:${after.parse.line}: ${after.parse.message}`;
      },
      (count, first) => `${naming(count, first, "does not", "do not")} parse.`,
    ),
} as const satisfies Rule;
