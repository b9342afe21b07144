/** The commands about what a session left: look at it, settle it, clear up after it. */
import type { CommandSpec } from "./command-spec.ts";

export const SALVAGE_SPECS: readonly CommandSpec[] = [
  {
    words: "worktrees",
    group: "Workspace",
    summary: "every work tree of the repository, and which may go",
    about:
      "A work tree is removable only on proof: no live session, clean with its untracked files, nothing parked or stashed of it, its commits on a remote or their patch in the default branch, not locked, not the main one.",
    options: [{ flags: "--all", about: "of every repository with a session, not only of this one" }],
    examples: [["refloat worktrees", "what is safe to remove"]],
    load: () => import("./commands/worktrees.ts"),
  },
];
