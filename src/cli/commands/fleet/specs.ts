/** The commands for many machines on one store. */
import type { CommandSpec } from "../../context/command-spec.ts";
import type { ArgumentSpec, OptionSpec } from "../../grammar/command-grammar.ts";
import { RAW } from "../../grammar/spec-parts.ts";
import { LIMIT_SIGNS } from "../run/specs.ts";

const ITEM: ArgumentSpec = { name: "<id>", about: "an item's id, or its first four characters or more" };
const REPO: OptionSpec = {
  flags: "--repo <dir>",
  about: "the repository, by any clone of it; left out: the one you stand in",
  isPath: true,
};

export const FLEET_SPECS: readonly CommandSpec[] = [
  {
    words: "worker",
    group: "Fleet",
    summary: "do what waits in the queue and go on with what was cut off, on any machine",
    about:
      "Each session gets a work tree of its own beside the clone. In the command {prompt} is what is to be done, as a word of its own (in a shell's script in quotes of its own, and REFLOAT_PROMPT in the environment), {handoff} and {handoff-file} the brief of what was done before. Told to end (SIGTERM) it lets its agents end within --drain; what they leave goes on elsewhere. Killed, others take its sessions over.",
    args: [{ name: "<command...>", about: "after --: the agent and its arguments" }],
    options: [
      {
        flags: "--repo <dir>",
        about: "a clone of the repository; may be repeated; left out: the one you stand in",
        isPath: true,
        isRepeated: true,
      },
      { flags: "--name <name>", about: "of the sessions it begins" },
      { flags: "--agent <name>", about: "what the agent is called; left out: the command's first word" },
      { flags: "--slots <n>", about: "sessions at a time (1)" },
      {
        flags: "--policy <file>",
        about: "which sessions, in which order, and what becomes of their work (JSON)",
        isPath: true,
      },
      { flags: "--drain <time>", about: "from SIGTERM to its end, captures included (20s; in CI 6s)" },
      {
        flags: "--metrics <port>",
        about: "counts in Prometheus' text at http://127.0.0.1:PORT/metrics, or at ADDRESS:PORT",
      },
      {
        flags: "--until-idle",
        about:
          "end when nothing is left to do; 75 at a usage limit, 1 if a session could not be gone on with",
      },
      ...LIMIT_SIGNS,
    ],
    examples: [
      ["refloat worker --repo ~/app --slots 4 -- claude -p -- {prompt}", ""],
      [
        "refloat worker --repo /srv/app --policy worker.json --drain 60s -- codex exec -- {prompt}",
        "in a container",
      ],
      ["refloat worker --until-idle -- sh -c 'agent \"{prompt}\"'", "as a step of CI"],
    ],
    load: () => import("./worker.ts"),
  },
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
