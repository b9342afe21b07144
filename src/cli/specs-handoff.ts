/** The commands about going on: the brief for the next session. */
import type { CommandSpec } from "./command-spec.ts";

export const HANDOFF_SPECS: readonly CommandSpec[] = [
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
    options: [{ flags: "--budget <tokens>", about: "at most so many; 1 token = 4 bytes; 2000 by default" }],
    examples: [
      ["refloat handoff", "what the newest unsettled session leaves to you"],
      ["refloat handoff nightly --budget 8000 > brief.md", "by name, with more detail"],
    ],
    load: () => import("./commands/handoff.ts"),
  },
];
