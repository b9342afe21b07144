/** Where goose keeps its sessions: one database for all folders. */
import { join } from "node:path";
import { foundInDatabases } from "../transcript/database-places.ts";
import type { AgentHome, TranscriptPlaces } from "../words/adapter.ts";
import { gooseTranscript } from "./transcript.ts";

function dataFolder({ home, env }: AgentHome): string {
  if (env.GOOSE_PATH_ROOT) return join(env.GOOSE_PATH_ROOT, "data");
  return join(env.XDG_DATA_HOME ?? join(home, ".local/share"), "goose");
}

export const goosePlaces: TranscriptPlaces = {
  find: (where) =>
    foundInDatabases([join(dataFolder(where), "sessions/sessions.db")], gooseTranscript, where.env),
  // It leaves no mark of its process.
  marks: () => [],
};
