/** The operations a session marked in plain text (DESIGN 8): in its own words, and in lines it added to journal-like files. */
import type { OperationFact, TriageFacts } from "../triage/facts.ts";
import { pathClasses } from "../triage/paths.ts";
import { type MarkedText, markedTexts, markersIn, operationsOf } from "../triage/text-markers.ts";

export async function markedOperations(facts: TriageFacts): Promise<OperationFact[]> {
  const { isJournal } = pathClasses(facts.pathRules);
  const inFiles: MarkedText[] = [];
  for (const { change, owner, writes } of facts.changes) {
    if (owner.owner !== "session" || !isJournal(change.path) || change.to?.kind !== "file") continue;
    const [before, after] = [await facts.bytesOf(change, "before"), await facts.bytesOf(change, "after")];
    const added = after && addedTo(before ?? Buffer.alloc(0), after);
    if (added)
      inFiles.push({ channel: change.path, seq: writes[0]?.fromSeq ?? 0, markers: markersIn(added) });
  }
  return operationsOf([...markedTexts(facts.said), ...inFiles]);
}

/** Null: it did not only grow. */
function addedTo(before: Uint8Array, after: Uint8Array): string | null {
  const isGrown = Buffer.from(after).subarray(0, before.length).equals(before);
  return isGrown ? Buffer.from(after).subarray(before.length).toString("utf8") : null;
}
