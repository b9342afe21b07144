/**
 * Continue: no hook of it fires, so it tells us nothing while it works; it gets the server, as marked lines at the end of its `config.yaml`.
 * (Files of its `mcpServers` folder are not read by `cn` 1.5.47.)
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readOrNull } from "../../platform/io-error.ts";
import type { AgentHome } from "../words/agent-home.ts";
import type { AgentInstall } from "../words/install.ts";

const folder = ({ home, env }: AgentHome): string => env.CONTINUE_GLOBAL_DIR || join(home, ".continue");

const NO_HOOKS =
  "No hook of Continue fires: start it with `refloat run -- cn` for a session that outlives it.";

export const continueInstall: AgentInstall = {
  folder,
  files({ where, scope, server }) {
    const path = join(folder(where), "config.yaml");
    if (scope !== "user" || server === null || !takesLines(readOrNull(() => readFileSync(path, "utf8"))))
      return [];
    const [command, ...args] = server;
    const lines = [
      ...["mcpServers:", "  - name: refloat"],
      `    command: ${JSON.stringify(command)}`,
      `    args: ${JSON.stringify(args)}`,
    ];
    return [{ path, form: { kind: "block", lines }, what: "MCP server" }];
  },
  afterwards: { user: [NO_HOOKS], repo: [NO_HOOKS], shared: [NO_HOOKS] },
};

/** One document of plain `key:` lines without servers of its own: there, and only there, a key at the end is one more key. */
function takesLines(text: string | null): boolean {
  if (text === null) return false;
  if (/^# >>> refloat >>>/m.test(text)) return true;
  const [first = ""] = text
    .split("\n")
    .filter((line) => !/^\s*(?:#.*)?$/.test(line) && line.trim() !== "---");
  return /^[\w-]+:/.test(first) && !/^(?:mcpServers\s*:|---\s*\n[\s\S]*^---|\.\.\.)/m.test(text);
}
