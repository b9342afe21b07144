/** What agents' hooks call, not people. */
import type { CommandSpec } from "../../context/command-spec.ts";

export const HOOK_SPEC: CommandSpec = {
  words: "hook",
  group: "Sessions",
  summary: "called by the recorder in an agent's hook, with the agent's payload on stdin",
  about:
    "`hook capture AGENT` holds the tree before a destructive command of the payload runs, and prints the line that the recorder writes into its event: `capture ID`, `no-before-image REASON`, or nothing where the command takes nothing away. Its exit code is 0 whatever happens: an agent would read another one as its own.",
  args: [
    { name: "<event>", about: "capture" },
    { name: "[agent]", about: "whose payload it is" },
  ],
  options: [],
  examples: [["refloat hook capture claude <payload.json", "what the recorder does before rm -rf"]],
  load: () => import("./hook.ts"),
};
