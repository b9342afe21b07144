/**
 * What a compiler (restore, discard, commit, park, undo, ...) hands to the primitive: only what should be, and what
 * must be there for it to be right. Everything else (who holds the workspace, the safety capture, folders, ignored
 * files in the way, the order) is the primitive's business (apply-draft.ts).
 */
import type { ContentHash, SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { ActName } from "../../model/plan.ts";
import type { StagedEntry } from "../../workspace/git/index-file.ts";

/**
 * One path of the tree. The bytes of `put` must be in the store already, under `put.hash` (a symlink's target
 * too). What becomes a directory, or was one, names the directory itself and each path in it; ignored files in
 * it are added by the primitive (W6).
 */
export interface PathPut {
  readonly path: PathName;
  readonly group: string;
  readonly expect: PathState;
  readonly put: PathState;
}

/** What the index has at a path, by stage; an empty list: nothing. */
export interface IndexEdit {
  readonly path: PathName;
  readonly group: string;
  readonly expect: readonly StagedEntry[];
  readonly put: readonly StagedEntry[];
}

/** By compare-and-swap. `ref` is a full name (refs/heads/main), or HEAD where it is detached. Null: no such ref. */
export interface RefSwap {
  readonly ref: string;
  readonly expect: string | null;
  readonly put: string | null;
}

/** A blob of git's whose bytes are a content of the store. */
export interface HeldObject {
  readonly id: string;
  readonly hash: ContentHash;
}

export interface FolderMode {
  readonly path: PathName;
  readonly mode: number;
}

export interface PlanDraft {
  readonly act: ActName;
  /** On whose behalf; null: the user's own order. */
  readonly session: SessionId | null;
  readonly note?: string | null;
  readonly puts: readonly PathPut[];
  readonly index?: readonly IndexEdit[];
  /** With refs all groups are one: a conflict anywhere leaves everything untouched. */
  readonly refs?: readonly RefSwap[];
  /** Blobs of `index` that the store holds, by their id: git may have collected them. */
  readonly objects?: readonly HeldObject[];
  /** The branch HEAD must be on (refs/heads/main), null: detached. Absent: it does not matter. */
  readonly head?: string | null;
  readonly undoes?: string;
  readonly redoes?: string;
  /** Permission bits of folders that may have to be made; others get what the umask leaves of 0777. */
  readonly folders?: readonly FolderMode[];
  /** Only these folders are removed when they are left empty. Absent: every one, as git does. */
  readonly prune?: readonly PathName[];
  /** Contents the plan must keep alive besides those of its paths: a parked group's. */
  readonly contents?: readonly { readonly hash: ContentHash; readonly path?: string }[];
  readonly data?: JsonObject;
  /** Groups that count as done by it even where everything of them is as it should be already: those an undo takes back. */
  readonly covers?: readonly string[];
  /** It is a plan, and stands in the history, even where everything is as it should be already: its `data` says something. */
  readonly isNoted?: boolean;
}

export function isSameStaged(a: readonly StagedEntry[], b: readonly StagedEntry[]): boolean {
  return stagedKey(a) === stagedKey(b);
}

function stagedKey(entries: readonly StagedEntry[]): string {
  return entries
    .map(({ mode, id, stage, flags = [] }) => `${stage} ${mode.toString(8)} ${id} ${[...flags].sort()}`)
    .sort()
    .join("\n");
}
