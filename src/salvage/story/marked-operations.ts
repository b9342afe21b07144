/** The operations a session marked in plain text (DESIGN 8): in its own words, and in lines it added to journal-like files. */
import type { OperationFact, TriageFacts } from "../../triage/facts/known/triage-facts.ts";
import { pathClasses } from "../../triage/facts/paths/path-classes.ts";
import {
  type MarkedText,
  markedTexts,
  markersIn,
  operationsOf,
  textBelow,
} from "../../triage/facts/text/markers.ts";
import { mayMark } from "../../triage/links/operations.ts";

export interface MarkedOperations {
  readonly operations: readonly OperationFact[];
  /** The last line that was added below its BEGIN in a file; null: none. */
  readonly noteOf: (operation: OperationFact) => string | null;
}

export async function markedOperations(facts: TriageFacts): Promise<MarkedOperations> {
  const { isJournal } = pathClasses(facts.pathRules);
  const inFiles: MarkedText[] = [];
  const texts = new Map<string, string>();
  for (const { change, owner, writes } of facts.changes) {
    if (!mayMark(facts, owner) || !isJournal(change.path) || change.to?.kind !== "file") continue;
    const [before, after] = [await facts.bytesOf(change, "before"), await facts.bytesOf(change, "after")];
    const added = after && addedTo(before ?? Buffer.alloc(0), after);
    if (!added) continue;
    inFiles.push({ channel: change.path, seq: writes[0]?.fromSeq ?? 0, markers: markersIn(added) });
    texts.set(change.path, added);
  }
  return {
    operations: operationsOf([...markedTexts(facts.said), ...inFiles]),
    noteOf: ({ channel, label }) => {
      const text = channel === undefined ? undefined : texts.get(channel);
      return text === undefined ? null : textBelow(text, label);
    },
  };
}

/** Null: it did not only grow. */
function addedTo(before: Uint8Array, after: Uint8Array): string | null {
  const isGrown = Buffer.from(after).subarray(0, before.length).equals(before);
  return isGrown ? Buffer.from(after).subarray(before.length).toString("utf8") : null;
}
