/** Codex: hooks in `hooks.json`, which the user trusts once in its own window; servers in `config.toml`. */
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import { type AgentInstall, hookGroups, type InstallFile, jsonFile } from "../words/install.ts";

const EVENTS = [
  ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Interrupt"],
  ...["SubagentStop", "PreCompact", "SessionEnd"],
];

const folder = ({ home, env }: AgentHome): string => env.CODEX_HOME || join(home, ".codex");

const TRUST = "Codex runs hooks only once you trust them: start `codex`, type /hooks, and trust refloat's.";

export const codexInstall: AgentInstall = {
  events: EVENTS,
  folder,
  files(place) {
    const { where, root, scope, server } = place;
    const own = scope === "user" ? folder(where) : join(root, ".codex");
    const servers: InstallFile[] =
      scope !== "user" || server === null
        ? []
        : [
            {
              path: join(own, "config.toml"),
              form: {
                kind: "toml",
                table: ["mcp_servers", "refloat"],
                values: { command: server[0], args: server.slice(1) },
              },
              what: "MCP server",
            },
          ];
    return [...jsonFile(join(own, "hooks.json"), hookGroups(EVENTS, place), []), ...servers];
  },
  afterwards: { user: [TRUST], repo: [TRUST], shared: [TRUST] },
};
