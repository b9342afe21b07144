/** The commands for many machines on one store. */
import type { CommandSpec } from "../../context/command-spec.ts";
import type { ArgumentSpec, OptionSpec } from "../../grammar/command-grammar.ts";
import { RAW } from "../../grammar/spec-parts.ts";

const ITEM: ArgumentSpec = { name: "<id>", about: "an item's id, or its first four characters or more" };
const REPO: OptionSpec = {
  flags: "--repo <dir>",
  about: "the repository, by any clone of it; left out: the one you stand in",
  isPath: true,
};

export const FLEET_SPECS: readonly CommandSpec[] = [
  {
    words: "queue add",
    group: "Fleet",
    summary: "add work for the workers of a repository",
    about:
      "A repository is told by the commit it began with, so any clone of it will do. Items of one priority are begun in the order they were added. An item has the id of the session that will do it.",
    args: [
      {
        name: "<prompt>",
        about: "what is to be done; the name of a file: its text; - for stdin",
        isPath: true,
      },
    ],
    options: [
      REPO,
      { flags: "--priority <n>", about: "0 to 9, higher ones are begun first (5)" },
      {
        flags: "--after <when>",
        about: "not before so long from now (90s, 2h), or before that item has ended",
      },
    ],
    examples: [
      ['refloat queue add "fix the failing tests"', ""],
      ["refloat queue add plan.md --repo ~/app --priority 8", "the text of a file, before the usual"],
      ['refloat queue add "write the release notes" --after 7k2m', "when that item has ended"],
    ],
    load: async () => ({ run: (await import("./queue.ts")).add }),
  },
  {
    words: "queue list",
    group: "Fleet",
    summary: "what waits, what is being done, and by whom",
    options: [
      REPO,
      { flags: "--all", about: "of every repository" },
      { flags: "--ended", about: "also what ended lately" },
      RAW,
    ],
    examples: [
      ["refloat queue list", ""],
      ["refloat queue list --all --ended --json", "for scripts"],
    ],
    load: async () => ({ run: (await import("./queue.ts")).list }),
  },
  {
    words: "queue cancel",
    group: "Fleet",
    summary: "take an item out; one that runs is asked to stop",
    args: [ITEM],
    options: [{ flags: "--reason <why>", about: "recorded with it" }],
    examples: [['refloat queue cancel 7k2m --reason "done by hand"', ""]],
    load: async () => ({ run: (await import("./queue.ts")).cancel }),
  },
  {
    words: "queue retry",
    group: "Fleet",
    summary: "add an item again that ended; lift one that is suspended",
    args: [ITEM],
    examples: [["refloat queue retry 7k2m", ""]],
    load: async () => ({ run: (await import("./queue.ts")).retry }),
  },
];
