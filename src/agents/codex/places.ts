/** Where Codex keeps its threads: by the day they began, whatever folder they were in; the folder stands in each file's first line. */
import { join } from "node:path";
import { lockOn } from "../../platform/file-locks.ts";
import type { AgentHome, LivenessMark, TranscriptPlaces } from "../words/adapter.ts";
import {
  filesIn,
  foldersIn,
  NAMED_OTHERWISE,
  type NamedTranscript,
  namesOf,
  newestFirst,
} from "../words/agent-files.ts";

const NAME = /^rollout-.+-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/;
const DAY = /^rollout-(\d{4})-(\d\d)-(\d\d)T/;
const LOCK = /^([0-9a-f-]{36})\.lock$/;

const idBy =
  (form: RegExp) =>
  (name: string): { nativeId: string } | null => {
    const [, nativeId] = form.exec(name) ?? [];
    return nativeId === undefined ? null : { nativeId };
  };

const homeOf = ({ home, env }: AgentHome): string => env.CODEX_HOME ?? join(home, ".codex");

export const codexPlaces: TranscriptPlaces = {
  find(where) {
    const root = homeOf(where);
    // Year, month, day.
    const days = foldersIn(join(root, "sessions")).flatMap(foldersIn).flatMap(foldersIn);
    const folders = [...days, join(root, "archived_sessions")];
    return newestFirst(folders.flatMap((folder) => filesIn(folder, idBy(NAME))));
  },
  marks: (where) =>
    filesIn(join(homeOf(where), "thread-writer-locks"), idBy(LOCK)).flatMap((found) => markOf(found) ?? []),
  lands(where, { nativeId, path }) {
    const name = namesOf(path).at(-1) ?? "";
    const [, year, month, day] = DAY.exec(name) ?? [];
    if (NAME.exec(name)?.[1] !== nativeId || !year || !month || !day) return NAMED_OTHERWISE;
    return { kind: "at", path: join(homeOf(where), "sessions", year, month, day, name), isMoved: false };
  },
};

/**
 * An empty file, locked by whoever writes the thread (a window's own process, or the server that all windows share) and left behind when it
 * is killed. Null: the kernel does not say who holds it, and then it says nothing of a death, either (K2).
 */
function markOf({ path, nativeId }: NamedTranscript): LivenessMark | null {
  const lock = lockOn(path);
  switch (lock.kind) {
    case "unknown":
      return null;
    case "free":
      return { path, nativeId, pid: null, processStart: null };
    case "held":
      return { path, nativeId, pid: lock.pid, processStart: lock.started };
  }
}
