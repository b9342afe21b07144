/** The commands about what a session left: look at it, settle it, clear up after it. */
import type { CommandSpec } from "./command-spec.ts";

const SESSION = {
  name: "[id]",
  about: "its id, the beginning of it, or its name; left out: the newest unsettled",
};

export const SALVAGE_SPECS: readonly CommandSpec[] = [
  {
    words: "inspect",
    group: "Workspace",
    summary: "what a session left: every change, whose it is, and a verdict",
    about:
      "Computed from the journal, git and the tree; nothing is asked of the dead session and nothing is changed. Where no session was recorded, the changes are shown as nobody's.",
    args: [SESSION],
    options: [{ flags: "--exit-code", about: "exit 3 when something wants attention" }],
    examples: [
      ["refloat inspect", "what the newest unsettled session left"],
      ["refloat inspect --json --exit-code", "for scripts"],
    ],
    load: () => import("./commands/inspect.ts"),
  },
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
