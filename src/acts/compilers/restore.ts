/**
 * Which changes since a capture are put back. Pure. What could go wrong: somebody's work is overwritten that has
 * nothing to do with it. So (W5):
 *  - another session's change, and a file that came since and is not the session's, only when named itself
 *  - where the capture's session reports its calls, evidence decides: what is not its own, only when named; where it
 *    reports none, nobody could tell, and the capture means the whole tree
 *  - what was held before a command that takes away goes back whole: the loss is the reason it is there
 *  - what differs because HEAD moved, only when named itself: a restore undoes no commits
 *  - what the capture or this look at the tree does not hold, never (W4)
 */
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import { shownPath } from "../../text/shown-path.ts";
import type { SidesCompared } from "../../workspace/compare/sides.ts";
import type { Change } from "../../workspace/compare/states.ts";
import type { ChangeOwner } from "../../workspace/owning/own.ts";
import type { PlanDraft } from "../plans/draft.ts";
import type { WantedPaths } from "./put-back.ts";
import { type LeftAlone, putsOf } from "./put-back.ts";

export interface RestoreFacts {
  readonly capture: string;
  /** Null: nobody's, as what an act on the user's own order held. */
  readonly session: SessionId | null;
  /** From the capture to now. */
  readonly compared: SidesCompared;
  readonly wanted: WantedPaths;
  readonly owner: (change: Change) => ChangeOwner;
  /** The capture's session reports what it calls. */
  readonly hasCalls: boolean;
  /** It was taken before a command that takes away. */
  readonly isBeforeLoss: boolean;
  /** The capture does not hold it: it was as HEAD had it. */
  readonly isReconstructed: (path: PathName) => boolean;
  /** HEAD has something else there now than at the capture. */
  readonly isMoved: (path: PathName) => boolean;
}

export interface CompiledDraft {
  readonly draft: PlanDraft;
  readonly leftAlone: readonly LeftAlone[];
}

export function compileRestore(facts: RestoreFacts): CompiledDraft {
  const { compared, wanted } = facts;
  const chosen: Change[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const change of compared.changes) {
    const naming = strongest(change, wanted);
    if (naming === "not" && !wanted.isEmpty) continue;
    const why =
      naming === "itself" ? null : reasonToLeave(change, facts, { isNamedByFolder: naming === "by-folder" });
    if (why === null) chosen.push(change);
    else leftAlone.push({ path: change.path, why, isConflict: false });
  }
  for (const path of compared.committed) {
    const naming = wanted.naming(path);
    if (naming === "not" && !wanted.isEmpty) continue;
    leftAlone.push({ path, why: "it was committed since", isConflict: naming === "itself" });
  }
  for (const { path, why } of compared.unknown) {
    const naming = wanted.naming(path);
    if (naming === "not" && !wanted.isEmpty) continue;
    leftAlone.push({ path, why, isConflict: naming === "itself" });
  }
  const puts = chosen.flatMap((change) => putsOf(change, facts.isReconstructed));
  const data = { capture: facts.capture };
  return { draft: { act: "restore", session: facts.session, puts, data }, leftAlone };
}

const strongest = (change: Change, wanted: WantedPaths): ReturnType<WantedPaths["naming"]> => {
  const all = [change, ...change.members].map(({ path }) => wanted.naming(path));
  return all.includes("itself") ? "itself" : (all[0] ?? "not");
};

/** Null: it goes back. */
function reasonToLeave(
  change: Change,
  facts: RestoreFacts,
  { isNamedByFolder }: { readonly isNamedByFolder: boolean },
): string | null {
  const { owner, ownerSession } = facts.owner(change);
  if (owner === "other") return `the session ${ownerSession ?? "of somebody else"} changed it`;
  if (facts.isMoved(change.path)) return "HEAD has something else there since";
  if (owner === "session") return null;
  if (change.from === null) return "it came after the capture, and not from its session";
  if (isNamedByFolder || !facts.hasCalls || facts.isBeforeLoss) return null;
  return `nothing ties it to the session; name it: ${shownPath(change.path)}`;
}
