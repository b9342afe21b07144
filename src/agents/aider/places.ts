/** Where Aider keeps its history: one file at the top of the repository, or in the folder it was started in where there is none. */
import { isAbsolute, join } from "node:path";
import type { TranscriptPlaces } from "../words/adapter.ts";
import { newestFirst } from "../words/agent-files.ts";

const NAME = ".aider.chat.history.md";

export const aiderPlaces: TranscriptPlaces = {
  find({ home, env }, folder) {
    const chosen = env.AIDER_CHAT_HISTORY_FILE;
    const files = chosen
      ? [isAbsolute(chosen) ? chosen : join(folder, chosen)]
      : [join(folder, NAME), join(home, NAME)];
    return newestFirst([...new Set(files)].map((path) => ({ path, nativeId: null })));
  },
  // It leaves no mark of its process.
  marks: () => [],
};
