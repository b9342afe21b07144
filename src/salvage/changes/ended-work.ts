/**
 * What of a session's work is over although the session goes on: the changes of operations that ended, as they were at that
 * end (DESIGN 8). Everything else the agent may be writing at this moment (S2). Pure, but for the look it is handed.
 *
 * A change counts when
 *  - it is the session's, and somebody saw when it was written;
 *  - an operation that ended, and was not aborted, has it: by its paths, or because it came while that was open; and whoever
 *    ended it waited for the capture: a printed END is read in passing, and proves no bytes (T2);
 *  - its last writing was over by that end, and what is there now is what a capture saw then, not something newer;
 *  - nothing touched the file after that end. The capture that stands for the end comes a moment after it. The kernel's time
 *    of change is asked here, and it can only take away: order stays the journal's (D3).
 */
import type { Stats } from "node:fs";
import { NOW } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import { globMatcher } from "../../text/glob.ts";
import type { ChangeFact, TriageFacts } from "../../triage/facts/known/triage-facts.ts";
import { isDuring } from "../../triage/links/operations.ts";
import { pathsOf } from "../../workspace/compare/states.ts";
import type { SessionStory, StoryOperation } from "../story/session-story.ts";
import type { OwnedChanges } from "./owned-changes.ts";

export interface EndedOptions {
  readonly owned: OwnedChanges;
  readonly story: SessionStory;
  /** With each write put at the moment its capture stands for. */
  readonly facts: TriageFacts;
  /** What lies at a path of the tree, links not followed; null: nothing. */
  readonly at: (path: PathName) => Stats | null;
}

type EndedOperation = StoryOperation & { readonly endedSeq: number; readonly endedAtMs: number };

export function endedWork({ owned, story, facts, at }: EndedOptions): ReadonlySet<PathName> {
  const ended = story.operations.filter(isEnded);
  const nowSeq = owned.track?.captures.find(({ id }) => id === NOW)?.seq ?? Number.POSITIVE_INFINITY;
  const over = owned.changes.flatMap((seen, i) => {
    const writes = facts.changes[i]?.writes ?? [];
    const last = writes.at(-1);
    const isNewer = (seen.writes.at(-1)?.toSeq ?? 0) >= nowSeq;
    if (seen.owner.owner !== "session" || !last || isNewer) return [];
    const its = ended.filter(
      (operation) => hasChange(operation, { ...seen, writes }) && operation.endedSeq >= last.toSeq,
    );
    const endMs = Math.max(...its.map(({ endedAtMs }) => endedAtMs));
    const paths = pathsOf(seen.change);
    return its.length > 0 && paths.every((path) => (at(path)?.ctimeMs ?? 0) <= endMs) ? paths : [];
  });
  return new Set(over);
}

const isEnded = (operation: StoryOperation): operation is EndedOperation =>
  operation.state === "ended" &&
  !operation.isSeenInPassing &&
  operation.endedSeq !== null &&
  operation.endedAtMs !== null;

/** By what the captures stand for: what was there when the operation began is not its own. */
function hasChange(operation: EndedOperation, { change, writes }: ChangeFact): boolean {
  if (operation.paths !== null) return pathsOf(change).some(globMatcher(operation.paths));
  return writes.some((write) => isDuring(write, operation));
}
