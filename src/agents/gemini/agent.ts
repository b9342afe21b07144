/** Gemini CLI (https://github.com/google-gemini/gemini-cli): everything refloat knows of it. */
import type { AgentAdapter } from "../words/adapter.ts";
import { geminiHooks } from "./hooks.ts";
import { geminiInstall } from "./install.ts";
import { geminiLaunch } from "./launch.ts";
import { geminiPlaces } from "./places.ts";
import { geminiTranscript } from "./transcript.ts";

export const gemini: AgentAdapter = {
  name: "gemini",
  title: "Gemini CLI",
  versions: ["0.40.0", "0.61.0"],
  fixtures: "run",
  transcript: geminiTranscript,
  keepsEnds: true,
  places: geminiPlaces,
  launch: geminiLaunch,
  hooks: geminiHooks,
  install: geminiInstall,
};
