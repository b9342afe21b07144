/** Where Gemini CLI keeps its sessions: a folder per project, which says in a file of its own whose it is; the sessions themselves do not. */
import { lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { errnoOf } from "../../platform/io-error.ts";
import type { AgentHome, FoundTranscript, TranscriptPlaces } from "../words/adapter.ts";
import { filesIn, foldersIn, NAMED_OTHERWISE, namesOf, newestFirst } from "../words/agent-files.ts";

const NAME = /\.jsonl$/;
const OWN_NAME = /^session-[\w-]{1,80}\.jsonl$/;
const SESSION = /^[0-9a-f-]{36}$/;
/** A path, and no more. */
const MAX_ROOT_BYTES = 16 * 1024;

const projects = ({ home, env }: AgentHome): string => join(env.GEMINI_CLI_HOME ?? home, ".gemini", "tmp");

const idOf = (name: string): { nativeId: null } | null => (NAME.test(name) ? { nativeId: null } : null);

export const geminiPlaces: TranscriptPlaces = {
  find: (where) =>
    foldersIn(projects(where))
      .flatMap(inProject)
      .toSorted((a, b) => b.modifiedMs - a.modifiedMs),
  // Gemini leaves no mark of its own: its process is found by its name and folder.
  marks: () => [],
  // What it calls this folder here nobody knows before it was here: it lies in a folder of its own, and a copy of it goes on.
  lands(where, { nativeId, path }) {
    const name = namesOf(path).at(-1) ?? "";
    if (!OWN_NAME.test(name) || !SESSION.test(nativeId)) return NAMED_OTHERWISE;
    const folder = join(projects(where), `refloat-${nativeId}`);
    return { kind: "at", path: join(folder, "chats", name), isMoved: true };
  },
};

function inProject(project: string): readonly FoundTranscript[] {
  const chats = join(project, "chats");
  const cwd = rootOf(project);
  // A subagent's lie in a folder named after the session that started it, each named by its own id.
  const children = foldersIn(chats).flatMap((folder) =>
    filesIn(folder, (name) => (NAME.test(name) ? { nativeId: name.replace(NAME, "") } : null)).map((one) => ({
      ...one,
      child: { parent: basename(folder), call: null, label: null },
    })),
  );
  return newestFirst([...filesIn(chats, idOf), ...children]).map((found) => ({ ...found, cwd }));
}

function rootOf(project: string): string | null {
  const path = join(project, ".project_root");
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile() || stat.size > MAX_ROOT_BYTES) return null;
    return readFileSync(path, "utf8").trim();
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}
