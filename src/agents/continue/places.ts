/** Where Continue keeps its sessions: one folder for all, its editor's too. */
import { join } from "node:path";
import type { TranscriptPlaces } from "../words/adapter.ts";
import { filesIn, newestFirst } from "../words/agent-files.ts";

const NAME = /^([0-9a-f-]{36})\.json$/;

export const continuePlaces: TranscriptPlaces = {
  find({ home, env }) {
    const root = env.CONTINUE_GLOBAL_DIR ?? join(home, ".continue");
    return newestFirst(
      filesIn(join(root, "sessions"), (name) => {
        const [, nativeId] = NAME.exec(name) ?? [];
        return nativeId === undefined ? null : { nativeId };
      }),
    );
  },
  // It leaves no mark of its own: its process is found by its name and folder.
  marks: () => [],
};
