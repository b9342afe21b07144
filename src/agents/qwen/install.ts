/** Qwen Code: hooks and servers in `settings.json`, hooks in Claude's form. */
import { join } from "node:path";
import type { AgentHome } from "../words/adapter.ts";
import { type AgentInstall, hookGroups, jsonFile, serverMember } from "../words/install.ts";

const EVENTS = [
  ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"],
  ...["Stop", "SubagentStop", "PreCompact", "SessionEnd"],
];

const folder = ({ home, env }: AgentHome): string => env.QWEN_HOME || join(home, ".qwen");

export const qwenInstall: AgentInstall = {
  events: EVENTS,
  folder,
  files(place) {
    const own = place.scope === "user" ? folder(place.where) : join(place.root, ".qwen");
    return jsonFile(join(own, "settings.json"), hookGroups(EVENTS, place), serverMember(place));
  },
};
