/**
 * Qwen Code: hooks and servers in `settings.json`, hooks in Claude's form. Its times were milliseconds up to 0.21 (ten of them end every hook
 * before it has written anything) and are seconds in 0.24, where 1000 and more are milliseconds still: what is right in both.
 */
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import { askedEvents } from "../words/hooks.ts";
import { type AgentInstall, HOOK_SECONDS, hookGroups, jsonFile, serverMember } from "../words/install.ts";
import { qwenHooks } from "./hooks.ts";

const EVENTS = askedEvents(qwenHooks);

const folder = ({ home, env }: AgentHome): string => env.QWEN_HOME || join(home, ".qwen");

export const qwenInstall: AgentInstall = {
  folder,
  files(place) {
    const own = place.scope === "user" ? folder(place.where) : join(place.root, ".qwen");
    const hooks = hookGroups(EVENTS, place, () => HOOK_SECONDS * 1000);
    return jsonFile(join(own, "settings.json"), "comments", hooks, serverMember(place));
  },
};
