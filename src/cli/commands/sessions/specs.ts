/** The commands about sessions. */
import type { CommandSpec } from "../../context/command-spec.ts";
import type { OptionSpec } from "../../grammar/command-grammar.ts";
import { EVERYWHERE, EXIT_CODE, HERE, SESSION_ID as ID, RAW, WEB } from "../../grammar/spec-parts.ts";

const DRY_RUN: OptionSpec = { flags: "--dry-run", about: "say what would be done, change nothing" };

export const SESSION_SPECS: readonly CommandSpec[] = [
  {
    words: "sessions",
    group: "Sessions",
    summary: "list the sessions of this repository",
    options: [
      EVERYWHERE,
      HERE,
      {
        flags: "--host <host>",
        about: "only those on that machine: its id, the beginning of it, or its worker's name",
      },
      EXIT_CODE,
    ],
    examples: [
      ["refloat sessions --all", "everything the store knows"],
      ["refloat sessions --all --host build-7", "of one machine"],
      ["refloat sessions --exit-code --json", "for scripts: 3 when something was cut off"],
    ],
    load: () => import("./sessions.ts"),
  },
  {
    words: "show",
    group: "Sessions",
    summary: "one session's tries, turns, calls, queue, decisions",
    about: "Secrets are taken out unless --raw.",
    args: [ID],
    options: [RAW, WEB],
    examples: [
      ["refloat show", "the newest session here"],
      ["refloat show 7k2m", "by the beginning of its id"],
    ],
    load: () => import("./show.ts"),
  },
  {
    words: "log",
    group: "Sessions",
    summary: "the conversation, as a person or a model sees it",
    about:
      "An export is what a provider takes, valid for it whatever the journal holds. Secrets are taken out unless --raw.",
    args: [ID],
    options: [
      { flags: "-f, --follow", about: "go on with what comes; ends with Ctrl-C" },
      {
        flags: "--view <audience>",
        about: "people: all of it; model: what the model sees",
        choices: ["people", "model"],
      },
      {
        flags: "--export <format>",
        about: "the model's view in a provider's format",
        choices: ["anthropic", "openai-chat", "openai-responses"],
      },
      { flags: "--last <n>", about: "only the last so many messages and calls" },
      { flags: "--from <seq>", about: "with --follow: begin at this record" },
      RAW,
    ],
    examples: [
      ["refloat log nightly", "by name"],
      ["refloat log --follow --json", "one record a line, as it is written"],
      ["refloat log --export anthropic > request.json", "go on elsewhere"],
    ],
    load: () => import("./log.ts"),
  },
  {
    words: "claim status",
    group: "Sessions",
    summary: "who holds what, since when, and whether they are alive",
    args: [{ ...ID, about: "one session; left out: every claim that is held" }],
    examples: [["refloat claim status", "every claim in the store"]],
    load: () => import("./claim-status.ts"),
  },
  {
    words: "claim break",
    group: "Sessions",
    summary: "take a claim from an owner that is gone; recorded",
    about: "Refused while the owner runs on this machine: it could go on changing files. Stop it first.",
    args: [{ name: "<id>", about: "the session; with --file a step's number, or `lock`" }],
    options: [
      { flags: "--reason <why>", about: "recorded in the session (needed)" },
      { flags: "--file <path>", about: "the state file whose step or lock it is", isPath: true },
      DRY_RUN,
    ],
    examples: [
      ['refloat claim break 7k2m --reason "its container is gone" --yes', ""],
      ['refloat claim break 3 --file agent-output/demo --reason "the laptop is lost"', "a step's claim"],
    ],
    load: () => import("./claim-break.ts"),
  },
  {
    words: "forget",
    group: "Sessions",
    summary: "erase what sessions said and held, on record",
    about:
      "The one command that removes anything from a journal: what was said and held goes, that it was erased and why stays. A session somebody holds is left alone.",
    args: [{ name: "[id]", about: "this session; or use --before or --path" }],
    options: [
      { flags: "--before <date>", about: "every record older than 2026-01-31 or 2026-01-31T12:00:00Z" },
      { flags: "--path <glob>", about: "every record that names such a path, and the contents it held" },
      { flags: "--reason <why>", about: "recorded in each session" },
      DRY_RUN,
    ],
    examples: [
      ["refloat forget --before 2026-01-31 --dry-run", "how much would go"],
      ["refloat forget --path '**/.env' --reason 'held a key' --yes", ""],
    ],
    load: () => import("./forget.ts"),
  },
];
