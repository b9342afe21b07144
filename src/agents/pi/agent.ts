/** pi (https://pi.dev): everything refloat knows of it. */
import type { AgentAdapter } from "../words/adapter.ts";
import { piHooks } from "./hooks.ts";
import { piInstall } from "./install.ts";
import { piLaunch } from "./launch.ts";
import { piPlaces } from "./places.ts";
import { piTranscript } from "./transcript.ts";

export const pi: AgentAdapter = {
  name: "pi",
  title: "pi",
  versions: ["0.86.1", "0.87.1"],
  fixtures: "run",
  transcript: piTranscript,
  places: piPlaces,
  launch: piLaunch,
  hooks: piHooks,
  install: piInstall,
};
