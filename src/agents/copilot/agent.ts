/** GitHub Copilot CLI (https://github.com/github/copilot-cli): everything refloat knows of it. */
import type { AgentAdapter } from "../words/adapter.ts";
import { copilotHooks } from "./hooks.ts";
import { copilotInstall } from "./install.ts";
import { copilotLaunch } from "./launch.ts";
import { copilotPlaces } from "./places.ts";
import { copilotTranscript } from "./transcript.ts";

export const copilot: AgentAdapter = {
  name: "copilot",
  title: "GitHub Copilot CLI",
  versions: ["1.0.92", "1.0.102"],
  fixtures: "run",
  transcript: copilotTranscript,
  places: copilotPlaces,
  launch: copilotLaunch,
  hooks: copilotHooks,
  install: copilotInstall,
};
