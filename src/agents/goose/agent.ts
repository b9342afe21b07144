/** goose (https://block.github.io/goose): what it left is read; made from its schema, never seen from a real run. */
import type { AgentAdapter } from "../words/adapter.ts";
import { goosePlaces } from "./places.ts";
import { gooseTranscript } from "./transcript.ts";

export const goose: AgentAdapter = {
  name: "goose",
  title: "goose",
  versions: ["schema 9"],
  fixtures: "schema",
  transcript: gooseTranscript,
  places: goosePlaces,
  launch: null,
  hooks: null,
  install: null,
};
