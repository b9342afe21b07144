/** What an agent printed last, where nobody has recorded its end yet: as its recovery will record it. Reads only (W1). */

import { unkeptOutput } from "../../recover/attempt-story.ts";
import { surveySession } from "../../recover/survey-session.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { wordsOf } from "../recovery/heard-of-dead.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** Null: it lives, it printed nothing, or that is on record. */
export async function lastWordsOf(
  { raw }: RefloatStore,
  row: SessionRow,
  home: string,
): Promise<string | null> {
  const { end, story } = await surveySession(raw, row);
  return end ? unkeptOutput(home, row.id, story, wordsOf) : null;
}
