/** Where OpenCode keeps its sessions: one database for all projects, another for each channel it is installed from. */
import { lstatSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { sessionsInDatabase } from "../transcript/read-database.ts";
import type { AgentHome, FoundTranscript, TranscriptPlaces } from "../words/adapter.ts";
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
  find: (where) =>
    databases(where)
      .flatMap((path): FoundTranscript[] => {
        const stat = lstatSync(path, { throwIfNoEntry: false });
        if (stat?.isFile() !== true) return [];
        return sessionsInDatabase(path, opencodeTranscript).map(({ nativeId, cwd, at }) => ({
          path,
          nativeId,
          modifiedMs: at ?? stat.mtimeMs,
          bytes: stat.size,
          cwd,
        }));
      })
      .toSorted((a, b) => b.modifiedMs - a.modifiedMs),
  // "running" stays in its database for ever: OpenCode leaves no mark of its process.
  marks: () => [],
};
