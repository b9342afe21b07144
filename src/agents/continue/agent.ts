/** Continue CLI, `cn` (https://github.com/continuedev/continue): everything refloat knows of it. */
import type { AgentAdapter } from "../words/adapter.ts";
import { continueInstall } from "./install.ts";
import { continueLaunch } from "./launch.ts";
import { continuePlaces } from "./places.ts";
import { continueTranscript } from "./transcript.ts";

export const continueCli: AgentAdapter = {
  name: "continue",
  title: "Continue",
  versions: ["1.5.45", "1.5.47"],
  fixtures: "run",
  transcript: continueTranscript,
  places: continuePlaces,
  launch: continueLaunch,
  hooks: null,
  install: continueInstall,
};
