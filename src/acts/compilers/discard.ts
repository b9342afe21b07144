/**
 * Which uncommitted changes of a session are discarded, and to what. Pure. Only its own go, and what somebody names
 * himself (W5); another session's never, and what was so when the session began is none of its changes. A path that
 * was as HEAD had it goes back to what HEAD has: then git calls it unmodified. One that was dirty before goes back to
 * the very bytes.
 */
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Change } from "../../workspace/compare/states.ts";
import type { StagedEntry } from "../../workspace/git/index-file.ts";
import type { ChangeOwner } from "../../workspace/owning/own.ts";
import type { IndexEdit } from "../plans/draft.ts";
import type { WantedPaths } from "./put-back.ts";
import { groupOf, type LeftAlone, putsOf } from "./put-back.ts";
import type { CompiledDraft } from "./restore.ts";

export interface DiscardFacts {
  readonly session: SessionId;
  /** From what each path was before the session changed it, to now. */
  readonly changes: readonly Change[];
  readonly unknown: readonly { readonly path: PathName; readonly why: string }[];
  /** Uncommitted, and still as the session found it: none of its changes, but shown. */
  readonly found: readonly { readonly path: PathName; readonly owner: ChangeOwner }[];
  /** Empty: all of the session's. */
  readonly wanted: WantedPaths;
  readonly owner: (change: Change) => ChangeOwner;
  /** The session left it, and somebody changed it after its end (W5). */
  readonly isEditedSince: (change: Change) => boolean;
  readonly isReconstructed: (path: PathName) => boolean;
  /** What the index has now, and what it had before the session; null: not known, so it is left alone. */
  readonly staged: (
    path: PathName,
  ) => { readonly now: readonly StagedEntry[]; readonly before: readonly StagedEntry[] } | null;
}

export function compileDiscard(facts: DiscardFacts): CompiledDraft {
  const { wanted } = facts;
  const chosen: Change[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const change of facts.changes) {
    const paths = [change, ...change.members].map(({ path }) => path);
    const isNamed = paths.some((path) => wanted.naming(path) === "itself");
    if (!wanted.isEmpty && paths.every((path) => wanted.naming(path) === "not")) continue;
    const why = whyLeftAlone(facts.owner(change), { isNamed });
    if (why === null) chosen.push(change);
    else leftAlone.push({ path: change.path, why, isConflict: isNamed || facts.isEditedSince(change) });
  }
  for (const { path, owner } of facts.found) {
    const naming = wanted.naming(path);
    if (naming === "not" && !wanted.isEmpty) continue;
    const why = owner.owner === "other" ? whyLeftAlone(owner, { isNamed: false }) : null;
    leftAlone.push({ path, why: why ?? SO_BEFORE, isConflict: naming === "itself" });
  }
  for (const { path, why } of facts.unknown) {
    const naming = wanted.naming(path);
    if (naming === "not" && !wanted.isEmpty) continue;
    leftAlone.push({ path, why, isConflict: naming === "itself" });
  }
  const puts = chosen.flatMap((change) => putsOf(change, facts.isReconstructed));
  const index = chosen.flatMap((change) => indexEdits(change, facts));
  return { draft: { act: "discard", session: facts.session, puts, index }, leftAlone };
}

export const SO_BEFORE = "it was so before the session began";

/** Null: it is discarded. */
export function whyLeftAlone(
  { owner, ownerSession }: ChangeOwner,
  { isNamed }: { readonly isNamed: boolean },
): string | null {
  switch (owner) {
    case "session":
      return null;
    case "other":
      return `the session ${ownerSession ?? "of somebody else"} changed it`;
    case "before":
      return SO_BEFORE;
    case "after":
      return isNamed ? null : "it was changed after the session's end";
    case "unknown":
      return isNamed ? null : "nothing ties it to the session; name it to discard it";
    default:
      return owner satisfies never;
  }
}

function indexEdits(change: Change, { staged }: DiscardFacts): IndexEdit[] {
  const group = groupOf(change.path);
  return [change, ...change.members].flatMap(({ path }) => {
    const found = staged(path);
    if (!found || isSameButFlags(found.now, found.before)) return [];
    return [{ path, group, expect: found.now, put: found.before }];
  });
}

function isSameButFlags(a: readonly StagedEntry[], b: readonly StagedEntry[]): boolean {
  const text = (entries: readonly StagedEntry[]): string =>
    entries
      .map(({ mode, id, stage }) => `${stage} ${mode} ${id}`)
      .sort()
      .join("\n");
  return text(a) === text(b);
}
