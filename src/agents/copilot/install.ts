/** Copilot CLI: every file of its `hooks` folder is read, so ours is a file of its own; servers in `mcp-config.json`. */
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import { askedEvents } from "../words/hooks.ts";
import { type AgentInstall, HOOK_SECONDS, hooksText, jsonFile, serverMember } from "../words/install.ts";
import { copilotHooks } from "./hooks.ts";

const EVENTS = askedEvents(copilotHooks);

const folder = ({ home, env }: AgentHome): string => env.COPILOT_HOME || join(home, ".copilot");

export const copilotInstall: AgentInstall = {
  folder,
  files(place) {
    const { where, root, scope, command } = place;
    const own = scope === "user" ? join(folder(where), "hooks") : join(root, ".github/hooks");
    const hooks = Object.fromEntries(
      EVENTS.map((event) => [event, [{ type: "command", bash: command(event), timeoutSec: HOOK_SECONDS }]]),
    );
    return [
      {
        path: join(own, "refloat.json"),
        form: { kind: "own", text: `${JSON.stringify({ version: 1, hooks }, null, 2)}\n` },
        what: hooksText(EVENTS),
      },
      ...jsonFile(
        join(folder(where), "mcp-config.json"),
        "comments-and-commas",
        [],
        serverMember(place, { type: "local", tools: ["*"] }),
      ),
    ];
  },
};
