/** The command that supervises an agent. */
import type { CommandSpec } from "./command-spec.ts";

export const RUN_SPECS: readonly CommandSpec[] = [
  {
    words: "run",
    group: "Sessions",
    summary: "run an agent so that its death loses nothing",
    about:
      "Starts the command under a session: its tree is captured, its last output kept, its end recorded, what it leaves running stopped. The exit code is the command's own; 128 and the signal's number when it died by one; 124 after --timeout; before it starts 4 busy, 64 usage, 125 a failure of ours, 126 not executable, 127 not found. With REFLOAT_OFF=1 the command is started and nothing else.",
    args: [{ name: "<command...>", about: "the command, after --" }],
    options: [
      { flags: "--timeout <time>", about: "end it after this long (50m), with exit 124" },
      { flags: "--drain <time>", about: "what it has to save its work after SIGINT (20s; 6s where CI=true)" },
      { flags: "--name <name>", about: "only one of this name at a time in this workspace" },
      { flags: "--agent <name>", about: "what to call the agent; left out: the command's name" },
      { flags: "--if-busy <what>", about: "when the name is busy; fail", choices: ["fail", "wait", "skip"] },
      { flags: "--report <file>", about: "write how it ended there, as JSON", isPath: true },
    ],
    examples: [
      ["refloat run -- claude -p 'fix the tests'", ""],
      ["refloat run --timeout 50m --name nightly -- ./agent.sh", "for cron: one at a time, 50 minutes"],
    ],
    load: () => import("./commands/run.ts"),
  },
];
