/** Where OpenCode keeps its sessions: one database for all projects, another for each channel it is installed from. */
import { isAbsolute, join } from "node:path";
import { foundInDatabases } from "../transcript/database-places.ts";
import type { AgentHome, TranscriptPlaces } from "../words/adapter.ts";
import { filesIn } from "../words/agent-files.ts";
import { opencodeTranscript } from "./transcript.ts";

const NAME = /^opencode(?:-[\w.-]+)?\.db$/;

const dataFolder = ({ home, env }: AgentHome): string =>
  join(env.XDG_DATA_HOME ?? join(home, ".local/share"), "opencode");

function databases(where: AgentHome): readonly string[] {
  const chosen = where.env.OPENCODE_DB;
  if (chosen === ":memory:") return [];
  if (chosen !== undefined && chosen !== "")
    return [isAbsolute(chosen) ? chosen : join(dataFolder(where), chosen)];
  return filesIn(dataFolder(where), (name) => (NAME.test(name) ? { nativeId: null } : null)).map(
    ({ path }) => path,
  );
}

export const opencodePlaces: TranscriptPlaces = {
  find: (where) => foundInDatabases(databases(where), opencodeTranscript, where.env),
  // "running" stays in its database for ever: OpenCode leaves no mark of its process.
  marks: () => [],
  lands: () => ({ kind: "nowhere", why: "keeps its conversations in a database, which is its own to write" }),
};
