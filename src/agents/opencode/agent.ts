/** OpenCode (https://opencode.ai): everything refloat knows of it. */
import type { AgentAdapter } from "../words/adapter.ts";
import { opencodeHooks } from "./hooks.ts";
import { opencodeInstall } from "./install.ts";
import { opencodeLaunch } from "./launch.ts";
import { opencodePlaces } from "./places.ts";
import { opencodeTranscript } from "./transcript.ts";

export const opencode: AgentAdapter = {
  name: "opencode",
  title: "OpenCode",
  versions: ["1.18.21", "1.18.33"],
  fixtures: "run",
  transcript: opencodeTranscript,
  keepsEnds: true,
  places: opencodePlaces,
  launch: opencodeLaunch,
  hooks: opencodeHooks,
  install: opencodeInstall,
};
