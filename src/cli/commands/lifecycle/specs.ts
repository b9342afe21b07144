/** The commands that look at all sessions at once, end them, and say what goes on in them. */
import type { CommandSpec } from "../../context/command-spec.ts";
import type { ArgumentSpec, OptionSpec } from "../../grammar/command-grammar.ts";
import { EVERYWHERE, EXIT_CODE, HERE, WEB } from "../../grammar/spec-parts.ts";

const ID: ArgumentSpec = { name: "<id>", about: "id, its first four characters or more, or a name" };
const REASON: OptionSpec = { flags: "--reason <why>", about: "recorded in the session" };

export const STATUS_SPEC: CommandSpec = {
  words: "status",
  group: "Sessions",
  summary: "one screen for the whole repository, and what to type next",
  about:
    "The same as `refloat` alone: what lives, what was cut off, what is suspended, what is not settled, in every work tree of this repository. Changes nothing.",
  options: [
    HERE,
    EVERYWHERE,
    { flags: "--fleet", about: "machines, sessions and queues of the whole store" },
    EXIT_CODE,
    WEB,
  ],
  examples: [
    ["refloat status --fleet", "which machines live, what waits"],
    ["refloat", "what happened here?"],
    ["refloat --exit-code --json", "for scripts: 3 when something wants attention"],
    ["refloat status --web", "the same on the page"],
  ],
  load: () => import("../status/status.ts"),
};

export const LIFECYCLE_SPECS: readonly CommandSpec[] = [
  {
    words: "stop",
    group: "Sessions",
    summary: "ask a session to stop, and wait until it has",
    about:
      "Its supervisor lets the agent end by itself and captures what it leaves. A session whose owner is gone is finished at once. Only `resume` by its id goes on with it.",
    args: [ID],
    options: [REASON, { flags: "--wait <time>", about: "how long to wait for it (120s)" }],
    examples: [["refloat stop nightly", ""]],
    load: () => import("./stop.ts"),
  },
  {
    words: "suspend",
    group: "Sessions",
    summary: "let nothing resume a session by itself",
    args: [ID],
    options: [REASON],
    examples: [['refloat suspend 7k2m --reason "the API is down"', ""]],
    load: async () => ({ run: (await import("./suspension.ts")).suspend }),
  },
  {
    words: "lift",
    group: "Sessions",
    summary: "end a suspension; its count begins anew",
    args: [ID],
    options: [REASON],
    examples: [["refloat lift 7k2m", ""]],
    load: async () => ({ run: (await import("./suspension.ts")).lift }),
  },
];

export const OPERATION_SPECS: readonly CommandSpec[] = [
  {
    words: "op begin",
    group: "Workspace",
    summary: "begin a named stretch of work whose changes belong together",
    about:
      "What changes until `op end` is kept or dropped together. Under a session's mark it is that session's; else the newest live one's of this workspace, else one named manual. Where the store cannot be written it prints the text marker instead, alone on its line.",
    args: [{ name: "<label>", about: "what is being done" }],
    options: [
      { flags: "--path <glob>", about: "only these paths belong to it; may be repeated", isRepeated: true },
    ],
    examples: [
      ["refloat op begin migrate", ""],
      ["refloat op begin migrate --path 'db/**' --path schema.sql", ""],
    ],
    load: async () => ({ run: (await import("./operations.ts")).begin }),
  },
  {
    words: "op end",
    group: "Workspace",
    summary: "end it; what it left is captured",
    args: [{ name: "[label]", about: "left out: the one begun last" }],
    options: [{ flags: "--abort", about: "it was given up: what it left is not whole" }],
    examples: [
      ["refloat op end migrate", ""],
      ["refloat op end --abort", ""],
    ],
    load: async () => ({ run: (await import("./operations.ts")).end }),
  },
  {
    words: "op list",
    group: "Workspace",
    summary: "the operations of this workspace, open ones first",
    examples: [["refloat op list", ""]],
    load: async () => ({ run: (await import("./operations.ts")).list }),
  },
];
