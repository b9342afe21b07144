/** Qwen Code (https://github.com/QwenLM/qwen-code): everything refloat knows of it. */
import type { AgentAdapter } from "../words/adapter.ts";
import { qwenHooks } from "./hooks.ts";
import { qwenInstall } from "./install.ts";
import { qwenLaunch } from "./launch.ts";
import { qwenPlaces } from "./places.ts";
import { qwenTranscript } from "./transcript.ts";

export const qwen: AgentAdapter = {
  name: "qwen",
  title: "Qwen Code",
  versions: ["0.21.10", "0.24.4"],
  fixtures: "run",
  transcript: qwenTranscript,
  keepsEnds: true,
  places: qwenPlaces,
  launch: qwenLaunch,
  hooks: qwenHooks,
  install: qwenInstall,
};
