/** Continue: no hook of it fires, so it tells us nothing while it works; it gets the server, as a file of its own. */
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import type { AgentInstall } from "../words/install.ts";

const folder = ({ home, env }: AgentHome): string => env.CONTINUE_GLOBAL_DIR || join(home, ".continue");

const NO_HOOKS =
  "No hook of Continue fires: start it with `refloat run -- cn` for a session that outlives it.";

export const continueInstall: AgentInstall = {
  events: [],
  folder,
  files({ where, scope, server }) {
    if (scope !== "user" || server === null) return [];
    const [command, ...args] = server;
    const lines = [
      "# refloat: taken away by `refloat uninstall`",
      ...["name: refloat", "version: 0.0.1", "schema: v1", "mcpServers:", "  - name: refloat"],
      `    command: ${JSON.stringify(command)}`,
      `    args: ${JSON.stringify(args)}`,
    ];
    return [
      {
        path: join(folder(where), "mcpServers", "refloat.yaml"),
        form: { kind: "own", text: `${lines.join("\n")}\n` },
        what: "MCP server",
      },
    ];
  },
  afterwards: { user: [NO_HOOKS], repo: [NO_HOOKS], shared: [NO_HOOKS] },
};
