/** Where pi keeps its sessions: a folder per working directory, whose name is lossy; a folder of the user's where the environment says so. */
import { join } from "node:path";
import type { AgentHome, TranscriptPlaces } from "../words/adapter.ts";
import { filesIn, foldersIn, newestFirst } from "../words/agent-files.ts";

const NAME = /^.+_([0-9a-f-]{36})\.jsonl$/;

const idOf = (name: string): { nativeId: string | null } | null => {
  const [, nativeId] = NAME.exec(name) ?? [];
  if (nativeId !== undefined) return { nativeId };
  return name.endsWith(".jsonl") ? { nativeId: null } : null;
};

const agentFolder = ({ home, env }: AgentHome): string => env.PI_CODING_AGENT_DIR ?? join(home, ".pi/agent");

export const piPlaces: TranscriptPlaces = {
  find(where, folder) {
    const own = where.env.PI_CODING_AGENT_SESSION_DIR;
    const root = join(agentFolder(where), "sessions");
    // The name is made of the path with what is no name in it as "-": a moved or linked folder has another one.
    const named = join(root, `--${folder.replace(/^\//, "").replaceAll(/[/\\:]/g, "-")}--`);
    const folders = own === undefined ? new Set([named, ...foldersIn(root)]) : new Set([own]);
    return newestFirst([...folders].flatMap((one) => filesIn(one, idOf)));
  },
  // pi leaves no mark of its own: its process is found by its name and folder.
  marks: () => [],
};
