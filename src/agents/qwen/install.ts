/** Qwen Code: hooks and servers in `settings.json`, hooks in Claude's form. */
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import { askedEvents } from "../words/hooks.ts";
import { type AgentInstall, hookGroups, jsonFile, serverMember } from "../words/install.ts";
import { qwenHooks } from "./hooks.ts";

const EVENTS = askedEvents(qwenHooks);

const folder = ({ home, env }: AgentHome): string => env.QWEN_HOME || join(home, ".qwen");

export const qwenInstall: AgentInstall = {
  folder,
  files(place) {
    const own = place.scope === "user" ? folder(place.where) : join(place.root, ".qwen");
    return jsonFile(join(own, "settings.json"), "comments", hookGroups(EVENTS, place), serverMember(place));
  },
};
