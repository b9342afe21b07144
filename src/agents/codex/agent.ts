/** Codex CLI (https://github.com/openai/codex): everything refloat knows of it. */
import type { AgentAdapter } from "../words/adapter.ts";
import { codexHooks } from "./hooks.ts";
import { codexInstall } from "./install.ts";
import { codexLaunch } from "./launch.ts";
import { codexPlaces } from "./places.ts";
import { codexTranscript } from "./transcript.ts";

export const codex: AgentAdapter = {
  name: "codex",
  title: "Codex",
  versions: ["0.145.0", "0.166.0"],
  fixtures: "run",
  transcript: codexTranscript,
  places: codexPlaces,
  launch: codexLaunch,
  hooks: codexHooks,
  install: codexInstall,
};
