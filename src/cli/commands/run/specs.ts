/** The command that supervises an agent. */
import type { CommandSpec } from "../../context/command-spec.ts";
import type { OptionSpec } from "../../grammar/command-grammar.ts";

/** How a program that refloat does not know says that a usage limit is reached. */
export const LIMIT_SIGNS: readonly OptionSpec[] = [
  {
    flags: "--limit-text <text>",
    about: "a line of its output with this text says that the limit is reached",
  },
  { flags: "--limit-code <code>", about: "this exit code says so" },
];

/** Of `run`, and of every session of a `loop`. */
const RUN_OPTIONS: readonly OptionSpec[] = [
  { flags: "--timeout <time>", about: "end it after this long (50m), with exit 124" },
  { flags: "--warn <time>", about: "tell it this long before its time is up, by SIGURG, which hurts nobody" },
  { flags: "--warn-signal <name>", about: "by another signal, which ends a program that does not listen" },
  { flags: "--drain <time>", about: "what it has to save its work after SIGINT (20s; 6s where CI is set)" },
  { flags: "--name <name>", about: "only one of this name at a time in this workspace" },
  { flags: "--agent <name>", about: "what to call the agent; left out: the command's name" },
  { flags: "--accept-older", about: "start in a tree that is older than what a session left in it" },
  { flags: "--if-busy <what>", about: "when the name is busy; fail", choices: ["fail", "wait", "skip"] },
  { flags: "--report <file>", about: "write how it ended there, as JSON", isPath: true },
  {
    flags: "--bundle <dir>",
    about: "keep all it leaves in this folder, for a machine that vanishes",
    isPath: true,
  },
  { flags: "--raw", about: "with --bundle or --report: leave secrets in" },
  { flags: "--on-limit <what>", about: "at a usage limit; exit, with 75", choices: ["exit", "wait"] },
  ...LIMIT_SIGNS,
];

export const RUN_SPECS: readonly CommandSpec[] = [
  {
    words: "run",
    group: "Sessions",
    summary: "run an agent so that its death loses nothing",
    about:
      "Starts the command under a session: its tree is captured, its last output kept, its end recorded, what it leaves running stopped. The exit code is the command's own; 128 and the signal's number when it died by one; 124 after --timeout; before it starts 4 busy, 64 usage, 125 a failure of ours, 126 not executable, 127 not found. {handoff} and {handoff-file} are refused: they are for `loop` and `resume`. With REFLOAT_OFF=1 the command is started and nothing else.",
    args: [{ name: "<command...>", about: "the command, after --" }],
    options: RUN_OPTIONS,
    examples: [
      ["refloat run -- claude -p 'fix the tests'", ""],
      ["refloat run --timeout 50m --name nightly -- ./agent.sh", "for cron: one at a time, 50 minutes"],
    ],
    load: () => import("./run.ts"),
  },
  {
    words: "loop",
    group: "Sessions",
    summary: "run an agent session after session, each told what the last one left",
    about:
      "Before each session what died is recovered, and the brief of the one before is written to a file: in the command {handoff} is its text and {handoff-file} its path, which REFLOAT_HANDOFF_FILE names, too. Backs off from the same failure, ends when nothing moves. Needs no terminal. Exit code: 0 at the goal or the stop file, 1 when nothing moves, 75 at a usage limit, else the last session's.",
    args: [{ name: "<command...>", about: "the command, after --" }],
    options: [
      ...RUN_OPTIONS,
      { flags: "--max <n>", about: "at most so many sessions; 1 for cron" },
      { flags: "--max-time <time>", about: "at most so long, waits included" },
      { flags: "--until <cmd>", about: "done when this exits 0; asked before each session" },
      { flags: "--stop-file <path>", about: "end when this file is there", isPath: true },
      { flags: "--backoff <time>", about: "first wait after a failure, doubled when it comes again (10s)" },
      {
        flags: "--settle <policy>",
        about: "what to do with what a session left; the config's, else leave",
        choices: ["default", "revert-or-commit", "park-all", "leave"],
      },
      { flags: "--suspend-after <n>", about: "end after so many sessions without progress (3), or never" },
      { flags: "--notify <cmd>", about: "run this with the news as JSON on its input" },
    ],
    examples: [
      [
        "refloat loop --max 1 --timeout 50m -- ./agent.sh {handoff-file}",
        "for cron: one session, then the exit code",
      ],
      [
        "refloat loop --until 'npm test' --max-time 8h -- claude -p '{handoff} Go on.'",
        "until the tests pass",
      ],
    ],
    load: () => import("./loop.ts"),
  },
];
