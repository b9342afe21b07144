/** The operations a session marked in plain text (DESIGN 8): in its own words, and in lines it added to journal-like files. */
import type { ChangeFact, OperationFact } from "../triage/facts.ts";
import type { PathRules } from "../triage/path-rules.ts";
import { pathClasses } from "../triage/paths.ts";
import { type MarkedText, markedTexts, markersIn, operationsOf } from "../triage/text-markers.ts";
import type { BytesOf } from "./change-contents.ts";
import type { SessionStory } from "./session-story.ts";

export async function markedOperations(
  story: SessionStory,
  changes: readonly ChangeFact[],
  rules: PathRules,
  bytesOf: BytesOf,
): Promise<OperationFact[]> {
  const { isJournal } = pathClasses(rules);
  const inFiles: MarkedText[] = [];
  for (const { change, owner, writes } of changes) {
    if (owner.owner !== "session" || !isJournal(change.path) || change.to?.kind !== "file") continue;
    const [before, after] = [await bytesOf(change, "before"), await bytesOf(change, "after")];
    const added = after && addedTo(before ?? Buffer.alloc(0), after);
    if (added)
      inFiles.push({ channel: change.path, seq: writes[0]?.fromSeq ?? 0, markers: markersIn(added) });
  }
  const said = story.messages.map(({ seq, text }) => ({ seq, text, channel: story.channel }));
  return operationsOf([...markedTexts(said), ...inFiles]);
}

/** Null: it did not only grow. */
function addedTo(before: Uint8Array, after: Uint8Array): string | null {
  const isGrown = Buffer.from(after).subarray(0, before.length).equals(before);
  return isGrown ? Buffer.from(after).subarray(before.length).toString("utf8") : null;
}
