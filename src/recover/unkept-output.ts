/** The last words of an agent whose supervisor could not keep them: its run folder outlived it. Reads only. */
import { readOutputTail } from "../session/run-folder.ts";
import type { AttemptStory } from "./attempt-story.ts";

/** Null: there are none, or they are on record. */
export function unkeptOutput(home: string, session: string, story: AttemptStory): string | null {
  if (story.mark === null || story.hasOutput) return null;
  return readOutputTail(home, session, story.attempt) || null;
}
