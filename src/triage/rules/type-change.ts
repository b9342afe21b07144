import { aboutEach, naming, type Rule } from "../rule.ts";

export const typeChangeRule = {
  slug: "type-change",
  weight: "risky",
  about: "A path is another kind of thing than before: file, symlink, directory, submodule.",
  check: (view) =>
    aboutEach(
      view,
      ({ path, change }) => {
        const { from, to } = change;
        const isPointed = from?.kind === "submodule" && to?.kind === "submodule";
        if (!isPointed && (!from || !to || from.kind === to.kind)) return null;
        const inside = change.members.length > 0 ? ` with ${change.members.length} paths in it` : "";
        return `${path}: ${from?.kind} became ${to?.kind}${inside}`;
      },
      (count, first) => `${naming(count, first)} became another kind of thing.`,
    ),
} as const satisfies Rule;
