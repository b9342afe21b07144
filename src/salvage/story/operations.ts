/**
 * A session's operations as its own words and files tell them: those it marked in plain text (DESIGN 8), in what it said and in lines it
 * added to journal-like files; and how far one got that never ended.
 */
import type { ChangeFact, OperationFact, TriageFacts } from "../../triage/facts/known/triage-facts.ts";
import { pathClasses } from "../../triage/facts/paths/path-classes.ts";
import {
  type MarkedText,
  markedTexts,
  markersIn,
  operationsOf,
  textBelow,
} from "../../triage/facts/text/markers.ts";
import { mayBelong, mayMark } from "../../triage/links/operations.ts";
import { unmetPaths } from "../../triage/rules/operations.ts";
import { pathsOf } from "../../workspace/compare/states.ts";

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

/**
 * How far an operation got that was begun and never ended: what changed in it, what it named and did not touch, what ended inside of
 * it, and what its author noted last below its BEGIN. Told beside the operation; nothing is judged by it (T2). Pure.
 */
export interface HowFar {
  /** Changes that it has, or may have. */
  readonly changed: number;
  /** Nobody saw when they came: they may be of it. */
  readonly isUncertain: boolean;
  /** Files that it named and that did not change. */
  readonly untouched: readonly string[];
  /** Labels of operations that were begun after it and ended, oldest first. */
  readonly endedInside: readonly string[];
  /** The last line that its author added below its BEGIN; null: none, or its markers stand in no file. */
  readonly note: string | null;
}

/** Of each list: enough to go on from. */
const MAX_LISTED = 20;

/** `noteOf`: what stands below its BEGIN (markedOperations). Null: it ended. */
export function howFar(
  operation: OperationFact,
  operations: readonly OperationFact[],
  facts: TriageFacts,
  noteOf: (operation: OperationFact) => string | null,
): HowFar | null {
  if (operation.state === "ended") return null;
  const own = ownChanges(operation, facts);
  const changed = new Set(facts.changes.flatMap(({ change }) => pathsOf(change)));
  const inside = operations.filter(
    (one) => one !== operation && one.state === "ended" && one.beganSeq >= operation.beganSeq,
  );
  return {
    changed: own.length,
    isUncertain: operation.paths === null && own.some(({ writes }) => writes.length === 0),
    untouched: unmetPaths(operation.paths ?? [], changed).slice(0, MAX_LISTED),
    endedInside: inside.map(({ label }) => label).slice(-MAX_LISTED),
    note: noteOf(operation),
  };
}

/** As the judge groups them, by the kind of path: what is told here needs no look into the files. */
function ownChanges(operation: OperationFact, { changes, pathRules }: TriageFacts): ChangeFact[] {
  const { isJournal, isRecord } = pathClasses(pathRules);
  const isApart = ({ change: { path } }: ChangeFact): boolean =>
    operation.paths === null && (isJournal(path) || isRecord(path));
  return changes.filter((fact) => mayBelong(fact, operation) && !isApart(fact));
}
