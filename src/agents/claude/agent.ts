/** Claude Code (https://claude.com/claude-code): everything refloat knows of it. */
import type { AgentAdapter } from "../words/adapter.ts";
import { claudeHooks } from "./hooks.ts";
import { claudeInstall } from "./install.ts";
import { claudeLaunch } from "./launch.ts";
import { claudePlaces } from "./places.ts";
import { claudeTranscript } from "./transcript.ts";

export const claude: AgentAdapter = {
  name: "claude",
  title: "Claude Code",
  versions: ["2.1.292", "2.1.325"],
  fixtures: "run",
  transcript: claudeTranscript,
  places: claudePlaces,
  launch: claudeLaunch,
  hooks: claudeHooks,
  install: claudeInstall,
};
