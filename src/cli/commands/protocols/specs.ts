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
  {
    words: "acp",
    group: "Sessions",
    summary: "run an agent that speaks ACP, between it and its editor",
    about:
      "For the place in an editor's settings where the agent's command stands. Every byte passes unchanged, in both directions; what is asked, said, called, permitted, planned and written is recorded in a session, as of `run`. After a kill of the agent or of this command the next start of the same command goes on in that session, so that what the editor loads again is not recorded twice. Exit codes as of `run`. With REFLOAT_OFF=1 the command is started and nothing else.",
    args: [{ name: "<command...>", about: "the agent's command, after --" }],
    options: [{ flags: "--agent <name>", about: "what to call the agent; left out: the command's name" }],
    examples: [
      ["refloat acp -- opencode acp", "as an editor starts it"],
      ["refloat acp --agent qwen -- npx qwen --acp", ""],
    ],
    load: () => import("./acp.ts"),
  },
];
