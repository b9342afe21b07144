/** hermes-agent (https://github.com/NousResearch/hermes-agent): what it left is read; made from its schema, never seen from a real run. */
import type { AgentAdapter } from "../words/adapter.ts";
import { hermesPlaces } from "./places.ts";
import { hermesTranscript } from "./transcript.ts";

export const hermes: AgentAdapter = {
  name: "hermes",
  title: "hermes-agent",
  versions: ["schema of 2026-08"],
  fixtures: "schema",
  transcript: hermesTranscript,
  places: hermesPlaces,
  launch: null,
  hooks: null,
  install: null,
};
