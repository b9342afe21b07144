/** Where hermes-agent keeps its sessions: one database for all folders. */
import { join } from "node:path";
import { foundInDatabases } from "../transcript/database-places.ts";
import type { TranscriptPlaces } from "../words/adapter.ts";
import { hermesTranscript } from "./transcript.ts";

export const hermesPlaces: TranscriptPlaces = {
  find: ({ home, env }) =>
    foundInDatabases([join(env.HERMES_HOME || join(home, ".hermes"), "state.db")], hermesTranscript, env),
  // Its turn tokens name no process.
  marks: () => [],
};
