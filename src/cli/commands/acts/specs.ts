/** The commands that put the tree back, each by a plan that can be undone, and the proof of what is held. */
import type { CommandSpec } from "../../context/command-spec.ts";
import { ADOPT, DRY_RUN, GROUP, LINK_DEPS, SAFE, WORDS } from "../../grammar/spec-parts.ts";

export const ACT_SPECS: readonly CommandSpec[] = [
  {
    words: "restore",
    group: "Workspace",
    summary: "put back what a capture holds",
    about:
      "Puts back what changed since the capture: paths it holds, and tracked files that were unmodified then. Left alone, unless named: what another session changed, files that came since, what was committed since, and, where the capture's session reports its calls, what nothing ties to it. HEAD, branches and the index stay as they are. With --to, a copy of the captured tree in a new or empty folder. A session in place of a capture: what it left last, also where its own tree is no more; then only onto paths that nobody changed here.",
    args: [
      { name: "<capture>", about: "its id, or the beginning of it; a session's: what that left last" },
      { name: "[paths...]", about: "only these files and folders", isPath: true },
    ],
    options: [
      {
        flags: "--commits <dir>",
        about: "copy the commits held with it there, as a git bundle",
        isPath: true,
      },
      {
        flags: "--to <dir>",
        about: "write a copy there instead",
        isPath: true,
      },
      DRY_RUN,
    ],
    examples: [
      ["refloat restore 7k2m --dry-run", "what it would do"],
      ["refloat restore 7k2m src/app.ts --yes", "one file"],
      ["refloat restore 7k2m --to ../as-it-was", "a copy to look at"],
    ],
    load: () => import("./restore.ts"),
  },
  {
    words: "discard",
    group: "Workspace",
    summary: "drop a session's uncommitted changes, and nobody else's",
    about:
      "Each path goes back to what the session found: the very bytes where it was changed before, else what HEAD has, so that git calls it unmodified. Paths nothing ties to the session go only when you name them; another session's never do. Whole groups go with --group, --safe and --all; a path is that file alone, and what stays of its group is named. While the session lives, nothing is discarded.",
    args: [WORDS],
    options: [
      GROUP,
      SAFE,
      { flags: "--all", about: "everything that is the session's own" },
      ADOPT,
      LINK_DEPS,
      { flags: "-m, --message <text>", about: "a note on why, kept with the plan" },
      DRY_RUN,
    ],
    examples: [
      ["refloat discard --all --dry-run", "what would go"],
      ["refloat discard nightly -- src/app.ts", "one file of the session called nightly"],
    ],
    load: () => import("./discard.ts"),
  },
  {
    words: "undo",
    group: "Workspace",
    summary: "take the last act back",
    about:
      "Kinds, bytes, permission bits, link targets and index entries are as before. Last in, first out per path; what you edited since is a conflict of its group, shown and left alone: put it away, and undo again takes the rest back.",
    options: [{ flags: "--plan <id>", about: "this one, not the newest" }, DRY_RUN],
    examples: [
      ["refloat undo", "shows the plan, then asks"],
      ["refloat undo --plan 7k2m --yes", ""],
    ],
    load: () => import("./undo.ts"),
  },
  {
    words: "redo",
    group: "Workspace",
    summary: "do again what the last undo took back",
    options: [DRY_RUN],
    examples: [["refloat redo --yes", ""]],
    load: () => import("./redo.ts"),
  },
  {
    words: "prove",
    group: "Workspace",
    summary: "read back everything that is held of this workspace",
    about:
      "Every content that a capture, a plan or a parked group names is read and hashed again; one that is gone must be said to be. Exit 5 when something is lost.",
    examples: [["refloat prove --json", ""]],
    load: () => import("./prove.ts"),
  },
];
