/** What came of an act. Every case is an answer: only a defect or a broken disk throws. */
import type { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";

/** A path that is not as the plan expects (W5): shown, never overwritten. */
export interface Conflict {
  readonly path: PathName;
  readonly group: string;
  readonly expected: PathState;
  /** Null with a `why`: what is there could not be read. */
  readonly found: PathState;
  /** Why, where the states alone do not say it: a hard device boundary, a folder that may not be written. */
  readonly why: string | null;
  /** It was changed before the session began, and that is not committed: by this session, or null: by nobody that is known. */
  readonly earlier?: string | null;
}

/** What a plan would do, or did: by path. */
export interface PlannedPaths {
  /** Paths that change, each with its group. */
  readonly paths: readonly { readonly path: PathName; readonly group: string }[];
  /** Paths that are already as they should be. */
  readonly already: readonly PathName[];
  readonly conflicts: readonly Conflict[];
  /** Groups left whole and untouched because of a conflict. */
  readonly untouched: readonly string[];
}

export type ActOutcome =
  /** Looked at only: nothing was changed, not even the store. */
  | ({ readonly kind: "planned" } & PlannedPaths)
  /** On disk (T1). Conflicts found while it ran are among the others. */
  | ({ readonly kind: "done"; readonly plan: string; readonly capture: string | null } & PlannedPaths)
  /** No group could be touched, or nothing differs: there is no plan. */
  | ({ readonly kind: "untouched" } & PlannedPaths)
  /** Nothing was changed: busy, locked, no proof, no room, a ref that moved, ... */
  | { readonly kind: "refused"; readonly error: RefloatError };
