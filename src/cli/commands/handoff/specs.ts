/** The commands about going on: the brief for the next session. */
import type { CommandSpec } from "../../context/command-spec.ts";

export const HANDOFF_SPECS: readonly CommandSpec[] = [
  {
    words: "resume",
    group: "Sessions",
    summary: "go on with a session that was cut off",
    about:
      "Recovers what died, shows what is different from when it stopped (branch, HEAD, history), and starts the agent again as the session's next try, with the brief: {handoff} (its text) and {handoff-file} in its command line, REFLOAT_HANDOFF_FILE in its environment. A call that may have happened is never run again by itself. On another branch, and where the command was started elsewhere and came here with the session, it asks first at a terminal. The exit code is the agent's. With REFLOAT_OFF=1 the command is started and nothing else.",
    args: [
      {
        name: "[id]",
        about: "id, its first four characters or more, or a name; left out: the newest cut off here",
      },
    ],
    options: [
      { flags: "--all", about: "every session that was cut off, one after the other" },
      { flags: "--agent <program>", about: "start this program instead, with the same brief" },
      { flags: "--print", about: "print the command instead of starting it" },
      {
        flags: "--recreate",
        about:
          "bring its removed work tree back first, or a session of another machine here, with its last capture",
      },
      {
        flags: "--to <dir>",
        about: "where its work tree, or the clone made for it, shall be; left out: beside the clone",
      },
      { flags: "--accept-older", about: "go on in a tree that is older than what was left in it" },
      { flags: "--from <url>", about: "make a clone from there for it: for a machine that has none" },
    ],
    examples: [
      ["refloat resume", "the newest that was cut off here"],
      ["refloat resume --all --print", "what would be started, and where"],
      ["refloat resume 7k2m --recreate", "its work tree was removed: bring it back, then go on"],
      ["refloat resume 7k2m --recreate --from /srv/git/app.git --to app", "on a machine that has no clone"],
    ],
    load: () => import("./resume.ts"),
  },
  {
    words: "handoff",
    group: "Sessions",
    summary: "the brief for whoever goes on with a session",
    about:
      "Computed from the journal and the tree, never by a model: what happened, what may have happened, what is half done and how it is judged. What matters most is there first; what did not fit is counted.",
    args: [
      {
        name: "[id]",
        about: "id, its first four characters or more, or a name; left out: the newest unsettled",
      },
    ],
    options: [
      {
        flags: "--budget <tokens>",
        about: "at most so many; 1 token = 4 bytes; the config's handoff.budget, else 2000",
      },
    ],
    examples: [
      ["refloat handoff", "what the newest unsettled session leaves to you"],
      ["refloat handoff nightly --budget 8000 > brief.md", "by name, with more detail"],
    ],
    load: () => import("./handoff.ts"),
  },
];
