/** Where Continue keeps its sessions: one folder for all, its editor's too. */
import { join } from "node:path";
import type { AgentHome, TranscriptPlaces } from "../words/adapter.ts";
import { filesIn, NAMED_OTHERWISE, newestFirst } from "../words/agent-files.ts";

const NAME = /^([0-9a-f-]{36})\.json$/;

const sessionsOf = ({ home, env }: AgentHome): string =>
  join(env.CONTINUE_GLOBAL_DIR ?? join(home, ".continue"), "sessions");

export const continuePlaces: TranscriptPlaces = {
  find(where) {
    return newestFirst(
      filesIn(sessionsOf(where), (name) => {
        const [, nativeId] = NAME.exec(name) ?? [];
        return nativeId === undefined ? null : { nativeId };
      }),
    );
  },
  // It leaves no mark of its own: its process is found by its name and folder.
  marks: () => [],
  lands(where, { nativeId }) {
    const name = `${nativeId}.json`;
    if (!NAME.test(name)) return NAMED_OTHERWISE;
    return { kind: "at", path: join(sessionsOf(where), name), isMoved: false };
  },
};
