/** The commands about what a session left: look at it, settle it, clear up after it. */
import type { CommandSpec } from "../../context/command-spec.ts";
import { ADOPT, DRY_RUN, GROUP, LINK_DEPS, SAFE, WEB, WORDS } from "../../grammar/spec-parts.ts";

const SESSION = {
  name: "[id]",
  about: "its id, the beginning of it, or its name; left out: the newest unsettled",
};

const MESSAGE = { flags: "-m, --message <text>", about: "the commit's message" };
const HOOKS = {
  flags: "--hooks <where>",
  about: "where your commit hooks run",
  choices: ["scratch", "in-place", "skip"],
};
const ACCEPT = {
  flags: "--accept-hook-changes",
  about: "take what a hook makes of the files that are committed",
};
const SELECTED = [
  GROUP,
  SAFE,
  { flags: "--all", about: "every group of the session's own" },
  ADOPT,
  LINK_DEPS,
];

export const SALVAGE_SPECS: readonly CommandSpec[] = [
  {
    words: "inspect",
    group: "Workspace",
    summary: "what a session left: every change, whose it is, and a verdict",
    about:
      "Computed from the journal, git and the tree; nothing is asked of the dead session and nothing is changed. Where no session was recorded, the changes are shown as nobody's.",
    args: [SESSION],
    options: [
      { flags: "--verify <command>", about: "your check: run on HEAD, with each group, with all of them" },
      LINK_DEPS,
      { flags: "--stop-leftovers", about: "first stop what dead sessions here left running" },
      { flags: "--all", about: "every group with all of its paths and reasons" },
      { flags: "--exit-code", about: "exit 3 when something wants attention" },
      WEB,
    ],
    examples: [
      ["refloat inspect", "what the newest unsettled session left"],
      ["refloat inspect --json --exit-code", "for scripts"],
    ],
    load: () => import("./inspect.ts"),
  },
  {
    words: "last-good",
    group: "Workspace",
    summary: "the newest capture of a session that passes your check",
    about:
      "Found by halving, each capture laid out in a scratch clone beside the store. Your tree is not touched.",
    args: [SESSION],
    options: [{ flags: "--verify <command>", about: "your check" }, LINK_DEPS],
    examples: [["refloat last-good --verify 'npm test'", ""]],
    load: () => import("./last-good.ts"),
  },
  {
    words: "settle",
    group: "Workspace",
    summary: "commit what is safe, park what is risky, leave the rest",
    about:
      "At a terminal it goes through the groups with you, worst first: d shows the lines, r the reasons; c commits, p parks, x discards, l leaves, u leaves the rest to the policy; nothing is done before you have seen the plan. With --policy or --yes, or without a terminal, by policy. It acts on what the session owns, in one plan that one undo takes back. Policies: default (commit safe, park risky, leave unknown), revert-or-commit (commit safe, discard unfinished operations, leave the rest), park-all, leave. A group that you chose to leave, by key or by name, counts as settled.",
    args: [SESSION],
    options: [
      {
        flags: "--repo",
        about: "every unsettled session of the repository, its work trees included, asked once",
      },
      {
        flags: "--policy <name>",
        about: "what to do with each verdict",
        choices: ["default", "revert-or-commit", "park-all", "leave"],
      },
      GROUP,
      ADOPT,
      LINK_DEPS,
      MESSAGE,
      HOOKS,
      ACCEPT,
      DRY_RUN,
    ],
    examples: [
      ["refloat settle", "group by group, with keys"],
      ["refloat settle --policy default", "shows the plan, then asks"],
      ["refloat settle --yes --json", "unattended"],
      ["refloat settle --policy park-all --yes", "a clean tree, everything kept"],
      ["refloat settle --repo --dry-run", "what would be done in every work tree"],
    ],
    load: () => import("./settle.ts"),
  },
  {
    words: "commit",
    group: "Workspace",
    summary: "commit groups of what a session left, and nothing else",
    about:
      "One commit with the session's part of each path; what you had staged stays staged. Your hooks run in a scratch clone first; author and committer are yours.",
    args: [WORDS],
    options: [
      ...SELECTED,
      { flags: "--ended", about: "what ended operations left, if safe, though the session lives" },
      MESSAGE,
      HOOKS,
      ACCEPT,
      DRY_RUN,
    ],
    examples: [
      ["refloat commit --safe", "every group with evidence for it"],
      ["refloat commit --group g33f1 -m 'Add the parser'", ""],
    ],
    load: () => import("./commit.ts"),
  },
  {
    words: "park",
    group: "Workspace",
    summary: "take groups out of the tree and keep them under a name",
    about:
      "Each path goes back to what was there before the session; what it made of it is held in the store, staged new files too. `unpark` brings it back.",
    args: [WORDS],
    options: [
      ...SELECTED,
      { flags: "--branch <name>", about: "also as a commit on a new branch of this name" },
      { flags: "-m, --message <text>", about: "a note to know it by, shown by `parked`" },
      DRY_RUN,
    ],
    examples: [
      ["refloat park --group g33f1 -m 'not before the release'", ""],
      ["refloat park --all --branch half-done", "where a ref is wanted"],
    ],
    load: () => import("./park.ts"),
  },
  {
    words: "parked",
    group: "Workspace",
    summary: "what is parked here, newest first",
    examples: [["refloat parked --json", ""]],
    load: () => import("./parked.ts"),
  },
  {
    words: "unpark",
    group: "Workspace",
    summary: "bring a parked group back into the tree",
    args: [{ name: "<name>", about: "its name, or the beginning of it" }],
    options: [DRY_RUN],
    examples: [["refloat unpark g33f1", ""]],
    load: () => import("./unpark.ts"),
  },
  {
    words: "judge",
    group: "Workspace",
    summary: "give a group your own verdict, with a reason",
    about:
      "Remembered per path and content: when one of them changes, the rules judge again. A process of the session itself may not.",
    args: [
      { name: "<group>", about: "its id, or the beginning of it" },
      { name: "<verdict>", about: "your word on it", choices: ["safe", "risky", "unknown"] },
    ],
    options: [{ flags: "--reason <text>", about: "why; it is recorded" }],
    examples: [["refloat judge g33f1 safe --reason 'I read it'", ""]],
    load: () => import("./judge.ts"),
  },
  {
    words: "worktrees",
    group: "Workspace",
    summary: "every work tree of the repository, and which may go",
    about:
      "A work tree is removable only on proof: no live session, clean with its untracked files, nothing parked or stashed of it, its commits on a remote or their patch in the default branch, not locked, not the main one.",
    options: [{ flags: "--all", about: "of every repository with a session, not only of this one" }],
    examples: [["refloat worktrees", "what is safe to remove"]],
    load: () => import("../worktrees/worktrees.ts"),
  },
  {
    words: "worktrees remove",
    group: "Workspace",
    summary: "remove work trees that may go; undo brings them back",
    about:
      "Every file in it, ignored ones too, is held in the store first; its branch stays. Ignored files that are too large to hold keep it, unless you let them go.",
    args: [{ name: "[paths...]", about: "the work trees", isPath: true }],
    options: [
      { flags: "--removable", about: "all that `worktrees` calls removable" },
      { flags: "--drop-ignored", about: "let ignored files go that are too large to hold" },
      DRY_RUN,
    ],
    examples: [
      ["refloat worktrees remove ../feature-x", ""],
      ["refloat worktrees remove --removable --dry-run", "which ones would go"],
    ],
    load: () => import("../worktrees/remove.ts"),
  },
  {
    words: "guard",
    group: "Workspace",
    summary: "exit 0 only when nothing in a folder would be lost",
    about:
      "For whoever is about to delete a work tree, a clone or a folder of them: exit 0 only when everything in it is settled, on a remote or held; else 1, with what would be lost. Changed and untracked files, what is staged, commits that would go with it, stashes, a rebase or merge under way, unsettled and live sessions, files nobody may read. In a linked work tree the branches stay with the repository; in a clone all refs go. --hold holds all of it in the store first and then looks again: the answer is read back from the store. Deletes nothing.",
    args: [{ name: "<path>", about: "the folder that is about to go", isPath: true }],
    options: [{ flags: "--hold", about: "hold everything in it first" }],
    examples: [
      ["refloat guard ../feature-x && git worktree remove ../feature-x", ""],
      ["refloat guard . --hold --json", "for scripts: what was held, and how it comes back"],
    ],
    load: () => import("../worktrees/guard.ts"),
  },
];
