/** The commands that agents and editors start, and no person types. */
import type { CommandSpec } from "../../context/command-spec.ts";

export const PROTOCOL_SPECS: readonly CommandSpec[] = [
  {
    words: "mcp",
    group: "Sessions",
    summary: "serve agents over MCP, on stdin and stdout",
    about:
      "Tools for the model: status, inspect, handoff, operations, capture, decide, step, and settle, which only plans. Resources: refloat://brief and refloat://manifest. Started by the agent, in the folder it works in (or with -C). Under a session's mark it speaks for that session; else for the newest live one here. Ends with its input, or by SIGINT or SIGTERM, with exit code 0; the end is recorded, so that recovery can say when the agent died.",
    examples: [
      ["refloat mcp", "as an agent starts it"],
      ["refloat -C ~/work/site mcp", "where the agent starts its servers elsewhere"],
    ],
    load: () => import("./mcp.ts"),
  },
];
