/** OpenCode: a plugin of ours in its `plugin` folder, servers in its config. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import type { AgentInstall, InstallFile, MemberEntry } from "../words/install.ts";

const folder = ({ home, env }: AgentHome): string =>
  join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");

const FETCHES =
  "With a plugin in its folder OpenCode itself fetches @opencode-ai/plugin by npm at its next start.";

/** The one of its two names that is there. */
function configFile(own: string): string {
  const commented = join(own, "opencode.jsonc");
  return existsSync(commented) ? commented : join(own, "opencode.json");
}

export const opencodeInstall: AgentInstall = {
  folder,
  files({ where, root, scope, server, ownFile }) {
    const own = scope === "user" ? folder(where) : join(root, ".opencode");
    const plugin: InstallFile = {
      path: join(own, "plugin", "refloat.js"),
      form: { kind: "own", text: ownFile("opencode.js") },
      what: "plugin",
    };
    if (scope !== "user" || server === null) return [plugin];
    const value = { type: "local", command: [...server], enabled: true };
    const members: readonly MemberEntry[] = [{ at: ["mcp"], key: "refloat", value }];
    return [
      plugin,
      {
        path: configFile(own),
        form: { kind: "json", hooks: [], members, syntax: "comments-and-commas" },
        what: "MCP server",
      },
    ];
  },
  afterwards: { user: [FETCHES], repo: [FETCHES], shared: [FETCHES] },
};
