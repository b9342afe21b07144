/** Where Claude Code keeps its sessions: a folder per working directory, whose name is lossy, and in it a folder per session with subagents. */
import { join } from "node:path";
import type { AgentHome, LivenessMark, TranscriptPlaces } from "../words/adapter.ts";
import {
  filesIn,
  foldersIn,
  NAMED_OTHERWISE,
  type NamedTranscript,
  namesIn,
  newestFirst,
  noteIn,
} from "../words/agent-files.ts";
import { textAt } from "../words/fields.ts";

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const SESSION = new RegExp(`^(${UUID})\\.jsonl$`);
const SUBAGENT = /^agent-([\w-]{1,80})\.jsonl$/;
const SESSION_FOLDER = new RegExp(`^${UUID}$`);
/** A longer folder gets a name of another form. */
const MAX_NAMED = 200;
const MARK = /^\d{1,10}\.json$/;

const rootOf = ({ home, env }: AgentHome): string => env.CLAUDE_CONFIG_DIR ?? join(home, ".claude");

const projectOf = (where: AgentHome, folder: string): string =>
  join(rootOf(where), "projects", folder.replaceAll(/[^a-zA-Z0-9]/g, "-"));

export const claudePlaces: TranscriptPlaces = {
  find(where, folder) {
    const root = join(rootOf(where), "projects");
    const named = projectOf(where, folder);
    // A moved or linked folder has another name.
    const folders = new Set([named, ...foldersIn(root)]);
    return newestFirst([...folders].flatMap(transcriptsIn));
  },
  marks: (where) => {
    const folder = join(rootOf(where), "sessions");
    return namesIn(folder).flatMap((one) =>
      one.isFile() && MARK.test(one.name) ? markIn(join(folder, one.name)) : [],
    );
  },
  lands(where, { nativeId, folder }) {
    if (!SESSION_FOLDER.test(nativeId)) return NAMED_OTHERWISE;
    if (folder.length > MAX_NAMED)
      return { kind: "nowhere", why: "gives folders of so long a path names of a form that is not known" };
    return { kind: "at", path: join(projectOf(where, folder), `${nativeId}.jsonl`), isMoved: false };
  },
};

const transcriptsIn = (folder: string): readonly NamedTranscript[] => [
  ...filesIn(folder, (name) => {
    const [, nativeId] = SESSION.exec(name) ?? SUBAGENT.exec(name) ?? [];
    return nativeId === undefined ? null : { nativeId };
  }),
  ...namesIn(folder).flatMap((one) =>
    one.isDirectory() && SESSION_FOLDER.test(one.name) ? subagentsOf(folder, one.name) : [],
  ),
];

/** Beside a subagent's transcript lies a note that says which call began it. */
function subagentsOf(folder: string, session: string): readonly NamedTranscript[] {
  const inside = join(folder, session, "subagents");
  return filesIn(inside, (name) => ({ nativeId: SUBAGENT.exec(name)?.[1] ?? null })).flatMap((file) => {
    if (file.nativeId === null) return [];
    const note = noteIn(join(inside, `agent-${file.nativeId}.meta.json`));
    const child = { parent: session, call: textAt(note, "toolUseId"), label: textAt(note, "description") };
    return [{ ...file, child }];
  });
}

/** Left by a kill, taken away by an end in order. */
function markIn(path: string): readonly LivenessMark[] {
  const note = noteIn(path);
  const pid = note?.pid;
  if (note === null || typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return [];
  const [namespace] = /pid:\[\d+\]/.exec(textAt(note, "pidDomain") ?? "") ?? [];
  const start = textAt(note, "procStart") ?? "";
  return [
    {
      nativeId: textAt(note, "sessionId"),
      path,
      pid,
      processStart: /^\d{1,15}$/.test(start) ? Number(start) : null,
      ...(namespace === undefined ? {} : { pidNamespace: namespace }),
    },
  ];
}
