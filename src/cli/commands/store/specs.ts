/** The commands that look after the store, and the rest. */
import type { CommandSpec } from "../../context/command-spec.ts";
import { DRY_RUN } from "../../grammar/spec-parts.ts";

export const STORE_SPECS: readonly CommandSpec[] = [
  {
    words: "store info",
    group: "Store",
    summary: "where the store is, how large, and what it runs on",
    examples: [["refloat store info --json", ""]],
    load: () => import("./info.ts"),
  },
  {
    words: "store check",
    group: "Store",
    summary: "look at every record and content; exit 5 on damage",
    about:
      "--salvage copies every whole record into a new store, which takes the old one's place; the old files are kept beside it. With a path the new store is written there and the old one is not touched.",
    options: [
      { flags: "--salvage [path]", about: "make a new store out of a damaged one", isPath: true },
      { flags: "--accept-loss", about: "go on without records that are lost; the loss is written down" },
    ],
    examples: [
      ["refloat store check", "reads everything, changes nothing"],
      ["refloat store check --salvage rescued.db", "into another file"],
    ],
    load: () => import("./check.ts"),
  },
  {
    words: "store backup",
    group: "Store",
    summary: "a consistent copy, while others go on writing",
    args: [{ name: "<path>", about: "must not exist yet", isPath: true }],
    examples: [["refloat store backup /mnt/backup/refloat-2026-01-31.db", ""]],
    load: () => import("./backup.ts"),
  },
  {
    words: "store export",
    group: "Store",
    summary: "sessions as JSON lines, without secrets unless --raw",
    args: [{ name: "[ids...]", about: "these sessions; left out: all of them" }],
    options: [
      { flags: "-o, --output <file>", about: "a new file instead of stdout", isPath: true },
      { flags: "--raw", about: "everything as it is, secrets too" },
    ],
    examples: [
      ["refloat store export --raw -o all.jsonl", "to move to another store"],
      ["refloat store export nightly | less", "to read or to show"],
    ],
    load: () => import("./export.ts"),
  },
  {
    words: "store import",
    group: "Store",
    summary: "take an export, a bundle or a session that was sent in; nothing that is here is replaced",
    about:
      "A bundle is a folder that `run --bundle` wrote. Its session goes on in the clone you stand in, once its README's lines have put the work back there. A file that `send` wrote brings one session whole, which goes on here from then on. The last four options are what `send` asks for over ssh.",
    args: [
      { name: "[file]", about: "an export, a bundle's folder, a sent session, or - for stdin", isPath: true },
    ],
    options: [
      {
        flags: "--own",
        about: "it is of your own store: its plans, verdicts, trust and commands count as yours",
      },
      { flags: "--hold", about: "take what `send` offers from stdin, and do not go on with it yet" },
      { flags: "--accept <transfer>", about: "go on with it here; what seals it comes from stdin" },
      { flags: "--refuse <transfer>", about: "never go on with it here, unless that was begun" },
      { flags: "--session <id>", about: "whose transfer it is" },
    ],
    examples: [
      ["refloat store import all.jsonl", ""],
      ["refloat store import ~/Downloads/bundle", "what a machine that is gone had kept"],
    ],
    load: () => import("./import.ts"),
  },
  {
    words: "send",
    group: "Store",
    summary: "move one session whole to another machine, by ssh or in a file",
    about:
      "Its journal, captures, contents, parked work, transcript, its files as they are in its tree and the commits that no remote has. Everything goes as it is, secrets too: it is for your own machines; `store export` is for others. From then on it goes on there and nowhere else; killed at any moment it is live on one side, and the same command finishes. ssh://HOST/PATH runs `refloat` there, in PATH, with your own ssh. A file is sealed for whoever takes it in: give --for where it could be taken in twice.",
    args: [
      { name: "[id]", about: "id, its first four characters or more, or a name" },
      { name: "[target]", about: "ssh://[USER@]HOST[:PORT]/PATH, or a new file", isPath: true },
    ],
    options: [
      {
        flags: "--for <store>",
        about: "of a file: the one store that may take it in (its `store info --json`: store_id)",
      },
      {
        flags: "--program <command>",
        about: "refloat on the other machine, as its shell knows it (refloat)",
      },
      {
        flags: "--take-back",
        about: "it never arrived: go on here, if the other side agrees or the file never was whole",
      },
      {
        flags: "--gone <why>",
        about: "with --take-back: the other side is gone for good, or nobody has the file; nobody is asked",
      },
    ],
    examples: [
      ["refloat send nightly ssh://build2/srv/app", "then there: refloat resume nightly --recreate"],
      ["refloat send 7k2m /media/stick/7k2m.refloat", "then there: refloat store import FILE"],
      ["refloat send 7k2m --take-back", "it goes on here after all"],
    ],
    load: () => import("./send.ts"),
  },
  {
    words: "store gc",
    group: "Store",
    summary: "drop contents no record names; records always stay",
    about:
      "Kept transcripts go, too, when they are older than 90 days, and the oldest where they take more than 2 GB: `limits.transcript_days` and `limits.transcript_bytes` of your own config say otherwise, a repository's do not. Not by a process under a session's mark.",
    options: [
      {
        flags: "--older <age>",
        about:
          "drop first what sessions held that ended so long ago and left nothing unsettled: 90d, 48h, or a date",
      },
      DRY_RUN,
    ],
    examples: [
      ["refloat store gc", ""],
      ["refloat store gc --dry-run", "what it would free"],
      ["refloat store gc --older 90d --dry-run", "how many sessions that would be"],
      ["refloat store gc --older 90d --yes", "by a timer, for a store that many share"],
    ],
    load: () => import("./gc.ts"),
  },
  {
    words: "store rekey",
    group: "Store",
    summary: "seal all contents by the first key of REFLOAT_KEY_FILE",
    about:
      "For a first key, which seals what lay open, and for a new one: put its line first and keep the old one until this is done. Killed in the middle, every content is readable by one of the keys, and the same command goes on. What stays visible is listed in docs/encryption.md. Not by a process under a session's mark.",
    options: [],
    examples: [["REFLOAT_KEY_FILE=~/.refloat-keys refloat store rekey", ""]],
    load: () => import("./rekey.ts"),
  },
];

export const OTHER_SPECS: readonly CommandSpec[] = [
  {
    words: "demo",
    group: "Try it",
    summary: "kill a session in the middle of a call and look",
    options: [
      { flags: "--keep", about: "keep its folder and say where it is" },
      { flags: "--fast", about: "no pauses between the steps" },
    ],
    examples: [["refloat demo --keep", "then look around in what it made"]],
    load: () => import("../demo/demo.ts"),
  },
  {
    words: "completion",
    group: "Try it",
    summary: "a script that completes commands in your shell",
    args: [{ name: "<shell>", about: "which shell", choices: ["bash", "zsh", "fish"] }],
    examples: [['eval "$(refloat completion bash)"', "for this shell"]],
    load: () => import("../completion/completion.ts"),
  },
  {
    words: "store grants",
    group: "Store",
    summary: "the SQL that gives a role what it needs of a Postgres store, and no more",
    about:
      "Printed, never run: the owner of the schema runs it, once for each role. A writer reads every table and writes only through the functions that check the claim; it can change no record and erase nothing. A reader lists, shows and follows.",
    args: [{ name: "<role>", about: "a role of the server that is there" }],
    options: [{ flags: "--rights <what>", about: "writer (the default) or reader" }],
    examples: [
      ["refloat store grants agents | psql", "for the hosts that run agents"],
      ["refloat store grants dashboard --rights reader", "for who only looks"],
    ],
    load: () => import("./grants.ts"),
  },
];
