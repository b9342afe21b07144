/** Claude Code's settings: hooks in `settings.json` (a repository's own: `settings.local.json`), servers of the user in `.claude.json`. It ignores a file with comments (2.1.325). */
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import { askedEvents } from "../words/hooks.ts";
import { type AgentInstall, hookGroups, jsonFile, serverMember } from "../words/install.ts";
import { claudeHooks } from "./hooks.ts";

const EVENTS = askedEvents(claudeHooks);

const folder = ({ home, env }: AgentHome): string => env.CLAUDE_CONFIG_DIR || join(home, ".claude");

export const claudeInstall: AgentInstall = {
  folder,
  files(place) {
    const { where, root, scope } = place;
    const settings = {
      user: join(folder(where), "settings.json"),
      repo: join(root, ".claude/settings.local.json"),
      shared: join(root, ".claude/settings.json"),
    }[scope];
    const servers = where.env.CLAUDE_CONFIG_DIR
      ? join(where.env.CLAUDE_CONFIG_DIR, ".claude.json")
      : join(where.home, ".claude.json");
    return [
      ...jsonFile(settings, "strict", hookGroups(EVENTS, place), []),
      ...jsonFile(servers, "strict", [], serverMember(place, { type: "stdio" })),
    ];
  },
};
