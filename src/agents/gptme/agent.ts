/** gptme (https://gptme.org): what it left is read; made from its schema, never seen from a real run. */
import type { AgentAdapter } from "../words/adapter.ts";
import { gptmePlaces } from "./places.ts";
import { gptmeTranscript } from "./transcript.ts";

export const gptme: AgentAdapter = {
  name: "gptme",
  title: "gptme",
  versions: ["schema of 2026-08"],
  fixtures: "schema",
  transcript: gptmeTranscript,
  places: gptmePlaces,
  launch: null,
  hooks: null,
  install: null,
};
