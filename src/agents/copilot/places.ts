/** Where Copilot CLI keeps its sessions: a folder each, whatever they worked on; a lock in it while one lives. */
import { join } from "node:path";
import type { AgentHome, LivenessMark, TranscriptPlaces } from "../words/adapter.ts";
import { filesIn, foldersIn, namesIn, newestFirst } from "../words/agent-files.ts";

const SESSION = /[/\\]([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const LOCK = /^inuse\.(\d{1,10})\.lock$/;

const sessionsIn = ({ home, env }: AgentHome): readonly { folder: string; nativeId: string }[] =>
  foldersIn(join(env.COPILOT_HOME ?? join(home, ".copilot"), "session-state")).flatMap((folder) => {
    const [, nativeId] = SESSION.exec(folder) ?? [];
    return nativeId === undefined ? [] : [{ folder, nativeId }];
  });

export const copilotPlaces: TranscriptPlaces = {
  // The folder it worked in is said in its first event only.
  find: (where) =>
    newestFirst(
      sessionsIn(where).flatMap(({ folder, nativeId }) =>
        filesIn(folder, (name) => (name === "events.jsonl" ? { nativeId } : null)),
      ),
    ),
  marks: (where) =>
    sessionsIn(where).flatMap(({ folder, nativeId }) =>
      namesIn(folder).flatMap((one): LivenessMark[] => {
        const [, pid] = LOCK.exec(one.name) ?? [];
        if (pid === undefined || !one.isFile()) return [];
        return [{ nativeId, path: join(folder, one.name), pid: Number(pid), processStart: null }];
      }),
    ),
  lands: () => ({
    kind: "nowhere",
    why: "has more files of a session than its events, which alone are kept",
  }),
};
