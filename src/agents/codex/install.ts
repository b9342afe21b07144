/** Codex: hooks in `hooks.json`, which the user trusts once in its own window; servers in `config.toml`. */
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import { askedEvents } from "../words/hooks.ts";
import { type AgentInstall, HOOK_SECONDS, hookGroups, type InstallFile, jsonFile } from "../words/install.ts";
import { codexHooks } from "./hooks.ts";

const EVENTS = askedEvents(codexHooks);

const folder = ({ home, env }: AgentHome): string => env.CODEX_HOME || join(home, ".codex");

/** Codex hands a server only the variables that are named: where the store is, and whose session it speaks for (K5). */
export const SERVER_VARIABLES = ["REFLOAT_SESSION", "REFLOAT_HOME", "HOME", "PATH", "XDG_STATE_HOME"];

const TRUST =
  'Codex runs hooks only once you trust them: start `codex` and choose "Trust all" at "Hooks need review" (later: type /hooks, then t).';

/** Where it takes no longer ones, and warns in its window of each that is. */
const AT_ITS_END = { events: ["SessionEnd", "Interrupt"], seconds: 3 };

export const codexSeconds = (event: string): number =>
  AT_ITS_END.events.includes(event) ? AT_ITS_END.seconds : HOOK_SECONDS;

export const codexInstall: AgentInstall = {
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
                values: { command: server[0], args: server.slice(1), env_vars: SERVER_VARIABLES },
              },
              what: "MCP server",
            },
          ];
    return [
      ...jsonFile(join(own, "hooks.json"), "strict", hookGroups(EVENTS, place, codexSeconds), []),
      ...servers,
    ];
  },
  afterwards: { user: [TRUST], repo: [TRUST], shared: [TRUST] },
};
