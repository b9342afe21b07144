/** Where Qwen Code keeps its sessions: a folder per working directory, whose name is lossy; subagents' beside them, below the session's id. */
import { join } from "node:path";
import type { AgentHome, TranscriptPlaces } from "../words/adapter.ts";
import {
  filesIn,
  foldersIn,
  NAMED_OTHERWISE,
  type NamedTranscript,
  namesOf,
  newestFirst,
  noteIn,
} from "../words/agent-files.ts";
import { textAt } from "../words/fields.ts";

const SESSION = /^([0-9a-f-]{36})\.jsonl$/;
const PROJECT = /^[\w-]{1,255}$/;
const SUBAGENT = /^agent-(.+)\.jsonl$/;

const projects = ({ home, env }: AgentHome): string =>
  join(env.QWEN_RUNTIME_DIR ?? env.QWEN_HOME ?? join(home, ".qwen"), "projects");

const named =
  (pattern: RegExp) =>
  (name: string): { nativeId: string } | null => {
    const [, nativeId] = pattern.exec(name) ?? [];
    return nativeId === undefined ? null : { nativeId };
  };

export const qwenPlaces: TranscriptPlaces = {
  find: (where) => newestFirst(foldersIn(projects(where)).flatMap(inProject)),
  // Qwen leaves no mark of its own: its process is found by its name and folder.
  marks: () => [],
  lands(where, { nativeId, path, cwd, folder }) {
    if (cwd !== folder)
      return { kind: "nowhere", why: `goes on only in the folder it was begun in (${cwd})` };
    const [project = "", chats, name = ""] = namesOf(path).slice(-3);
    if (!PROJECT.test(project) || chats !== "chats" || SESSION.exec(name)?.[1] !== nativeId)
      return NAMED_OTHERWISE;
    return { kind: "at", path: join(projects(where), project, chats, name), isMoved: false };
  },
};

const inProject = (project: string): readonly NamedTranscript[] => [
  ...filesIn(join(project, "chats"), named(SESSION)),
  ...foldersIn(join(project, "subagents")).flatMap((folder) => filesIn(folder, named(SUBAGENT)).map(asChild)),
];

function asChild(found: NamedTranscript): NamedTranscript {
  const note = noteIn(found.path.replace(/\.jsonl$/, ".meta.json"));
  const parent = textAt(note, "parentSessionId");
  if (parent === null) return found;
  return { ...found, child: { parent, call: textAt(note, "toolUseId"), label: textAt(note, "description") } };
}
