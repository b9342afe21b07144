import { aboutEach, naming, type Rule } from "./rule.ts";

export const typeChangeRule = {
  slug: "type-change",
  weight: "risky",
  about:
    "A path is another kind of thing than before (file, symlink, directory, submodule), or a submodule is at another commit.",
  check: (view) => [
    ...aboutEach(
      view,
      ({ path, change: { from, to, members } }) => {
        if (!from || !to || from.kind === to.kind) return null;
        const inside =
          members.length > 0
            ? ` with ${members.length} ${members.length === 1 ? "path" : "paths"} in it`
            : "";
        return `${path}: ${from.kind} became ${to.kind}${inside}`;
      },
      (count, first) => `${naming(count, first)} became another kind of thing.`,
    ),
    ...aboutEach(
      view,
      ({ path, change: { from, to } }) =>
        from?.kind === "submodule" && to?.kind === "submodule" ? `${path}: a submodule` : null,
      (count, first) =>
        `${naming(count, first, "is a submodule", "are submodules")} at another commit than HEAD names.`,
    ),
  ],
} as const satisfies Rule;
