/** Where pi keeps its sessions: a folder per working directory, whose name is lossy; a folder of the user's where the environment says so. */
import { join } from "node:path";
import type { AgentHome, TranscriptPlaces } from "../words/adapter.ts";
import { filesIn, foldersIn, NAMED_OTHERWISE, namesOf, newestFirst } from "../words/agent-files.ts";

const NAME = /^.+_([0-9a-f-]{36})\.jsonl$/;

const idOf = (name: string): { nativeId: string | null } | null => {
  const [, nativeId] = NAME.exec(name) ?? [];
  if (nativeId !== undefined) return { nativeId };
  return name.endsWith(".jsonl") ? { nativeId: null } : null;
};

const agentFolder = ({ home, env }: AgentHome): string => env.PI_CODING_AGENT_DIR ?? join(home, ".pi/agent");

/** The name is made of the path with what is no name in it as "-": a moved or linked folder has another one. */
const folderOf = (where: AgentHome, folder: string): string =>
  join(agentFolder(where), "sessions", `--${folder.replace(/^\//, "").replaceAll(/[/\\:]/g, "-")}--`);

export const piPlaces: TranscriptPlaces = {
  find(where, folder) {
    const own = where.env.PI_CODING_AGENT_SESSION_DIR;
    const root = join(agentFolder(where), "sessions");
    const named = folderOf(where, folder);
    const folders = own === undefined ? new Set([named, ...foldersIn(root)]) : new Set([own]);
    return newestFirst([...folders].flatMap((one) => filesIn(one, idOf)));
  },
  // pi leaves no mark of its own: its process is found by its name and folder.
  marks: () => [],
  lands(where, { nativeId, path, cwd, folder }) {
    const name = namesOf(path).at(-1) ?? "";
    if (NAME.exec(name)?.[1] !== nativeId) return NAMED_OTHERWISE;
    const own = where.env.PI_CODING_AGENT_SESSION_DIR;
    // Begun in another folder it goes on only in a copy.
    return { kind: "at", path: join(own ?? folderOf(where, folder), name), isMoved: cwd !== folder };
  },
};
