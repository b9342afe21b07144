/** Aider (https://aider.chat): what it left is read; made from its published form, never seen from a real run. */
import type { AgentAdapter } from "../words/adapter.ts";
import { aiderPlaces } from "./places.ts";
import { aiderTranscript } from "./transcript.ts";

export const aider: AgentAdapter = {
  name: "aider",
  title: "Aider",
  versions: ["form of 2026-05"],
  fixtures: "schema",
  transcript: aiderTranscript,
  places: aiderPlaces,
  launch: null,
  hooks: null,
  install: null,
};
