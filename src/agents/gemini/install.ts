/** Gemini CLI: hooks and servers in `settings.json`; its times are milliseconds. Not asked for: what comes before every model call. */
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import { askedEvents } from "../words/hooks.ts";
import { type AgentInstall, HOOK_SECONDS, hookGroups, jsonFile, serverMember } from "../words/install.ts";
import { geminiHooks } from "./hooks.ts";

const EVENTS = askedEvents(geminiHooks);

const folder = ({ home, env }: AgentHome): string => join(env.GEMINI_CLI_HOME || home, ".gemini");

export const geminiInstall: AgentInstall = {
  folder,
  files(place) {
    const own = place.scope === "user" ? folder(place.where) : join(place.root, ".gemini");
    const hooks = hookGroups(EVENTS, place, () => HOOK_SECONDS * 1000);
    return jsonFile(join(own, "settings.json"), "comments", hooks, serverMember(place));
  },
};
