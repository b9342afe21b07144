/** A tracked file the user told git not to look at: no status shows that it changed, and no commit of git's own takes it. */
import { found, naming, type Rule } from "./rule.ts";

export const hiddenFromGitRule = {
  slug: "hidden-from-git",
  weight: "note",
  voids: "all",
  about: "Git was told not to look at the file, so it does not show or commit that it changed.",
  detail:
    "skip-worktree and assume-unchanged; a sparse checkout's own marks are none. No evidence makes it safe: it is acted on when you name it.",
  check: ({ members }) => {
    const hidden = members.filter(({ fact }) => fact.hiddenBy !== undefined);
    const [first] = hidden;
    if (!first) return [];
    const message = `Git is told not to look at ${naming(hidden.length, first.path)}: name the group to act on it.`;
    return [
      found(
        message,
        hidden,
        hidden.map(({ path, fact }) => `${path}: ${fact.hiddenBy}`),
      ),
    ];
  },
} as const satisfies Rule;
