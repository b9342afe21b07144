/** pi: an extension of ours in its `extensions` folder. It has no MCP. */
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import type { AgentInstall } from "../words/install.ts";

const folder = ({ home, env }: AgentHome): string => env.PI_CODING_AGENT_DIR || join(home, ".pi/agent");

export const piInstall: AgentInstall = {
  folder,
  files: ({ where, root, scope, ownFile }) => [
    {
      path: join(scope === "user" ? folder(where) : join(root, ".pi"), "extensions", "refloat.ts"),
      form: { kind: "own", text: ownFile("pi.js") },
      what: "extension",
    },
  ],
};
