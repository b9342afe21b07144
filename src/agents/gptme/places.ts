/**
 * Where gptme keeps its conversations: a folder each, named after it, with a link to the folder it works in. The conversation is written
 * anew with each message; where that lost it, the log of its events beside it still has it.
 */
import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { errnoOf } from "../../platform/io-error.ts";
import type { AgentHome, TranscriptPlaces } from "../words/adapter.ts";
import { foldersIn, newestFirst } from "../words/agent-files.ts";

const CONVERSATION = "conversation.jsonl";
const EVENTS = "events.jsonl";

const logsFolder = ({ home, env }: AgentHome): string =>
  env.GPTME_LOGS_HOME || join(env.XDG_DATA_HOME ?? join(home, ".local/share"), "gptme/logs");

export const gptmePlaces: TranscriptPlaces = {
  find: (where) =>
    newestFirst(
      foldersIn(logsFolder(where)).map((folder) => {
        const conversation = join(folder, CONVERSATION);
        const isThere = (lstatSync(conversation, { throwIfNoEntry: false })?.size ?? 0) > 0;
        return { path: isThere ? conversation : join(folder, EVENTS), nativeId: basename(folder) };
      }),
    ),
  // Its lock names a pid and not when that was started.
  marks: () => [],
};

export interface GptmePlace {
  readonly nativeId: string;
  readonly cwd: string | null;
}

/** What only the place of a file says: the name of the conversation, and its folder by the link beside it. */
export function placeOf(path: string): GptmePlace {
  const folder = dirname(path);
  return { nativeId: basename(folder), cwd: linkOrNull(join(folder, "workspace")) };
}

function linkOrNull(path: string): string | null {
  try {
    const target = readlinkSync(path);
    return isAbsolute(target) ? target : null;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}
