/** The commands that serve somebody else: agents, editors, and the page. */
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
    words: "serve",
    group: "Sessions",
    summary: "the page: see what happened, decide what stays",
    about:
      "Serves a page of this repository's sessions to a browser on this machine, and the HTTP API behind it (docs/page.md), until Ctrl-C. The address has a random token in it, behind the #: who has it may do what you may. It answers nobody else: no other host, no other page. At a terminal with a screen the browser is opened. Nothing is loaded from the network. Under a session's mark it shows and plans, and acts on nothing.",
    options: [
      { flags: "--port <n>", about: "listen there; left out: a free port" },
      { flags: "--host <address>", about: "listen there; another machine than this one wants --token-file" },
      {
        flags: "--token-file <file>",
        about: "the token is in this file (mode 600): the same for every start, so that open pages go on",
        isPath: true,
      },
      { flags: "--open", about: "open the browser, at a terminal or not" },
      { flags: "--no-open", about: "only print the address" },
    ],
    examples: [
      ["refloat serve", ""],
      ["refloat serve --no-open --port 8400", "for a tunnel, or a browser elsewhere on this machine"],
    ],
    load: () => import("./serve.ts"),
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
