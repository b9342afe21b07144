/** The commands that set refloat up for the agents of this user, and take it away again. */
import type { CommandSpec } from "../../context/command-spec.ts";

export const SETUP_SPECS: readonly CommandSpec[] = [
  {
    words: "init",
    group: "Set up",
    summary: "keep the sessions of your agents, however you start them",
    about:
      "Finds the agents you use and has their own settings call refloat: hooks, plugins, the MCP server. Shows what would change in which files, then asks. Comments, order and indentation stay; a second time there is nothing to do. `refloat uninstall` gives the very bytes back.",
    options: [
      { flags: "--agent <name>", about: "only this one, found or not (again for more)", isRepeated: true },
      { flags: "--repo", about: "only in this repository, in the files that git ignores" },
      { flags: "--shared", about: "in the repository's committed files, for everybody in it" },
      { flags: "--shell", about: "a plain `claude` at a terminal goes through `refloat run`" },
      { flags: "--dry-run", about: "say what would change, change nothing" },
    ],
    examples: [
      ["refloat init", "shows the files, then asks"],
      ["refloat init --agent claude --dry-run", ""],
    ],
    load: () => import("./init.ts"),
  },
  {
    words: "uninstall",
    group: "Set up",
    summary: "give your agents' files back as they were",
    about:
      "Identical bytes where nobody touched a file since `refloat init`, else only refloat's entries are taken out. Your sessions and captures stay, unless --purge.",
    options: [
      { flags: "--purge", about: "the store goes, too: sessions, captures, parked work" },
      { flags: "--drop-unsettled", about: "with --purge: even work that is in no commit" },
      { flags: "--dry-run", about: "say what would change, change nothing" },
    ],
    examples: [
      ["refloat uninstall", ""],
      ["refloat uninstall --purge --dry-run", "what would be lost"],
    ],
    load: () => import("./uninstall.ts"),
  },
];
