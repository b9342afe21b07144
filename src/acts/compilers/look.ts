/** What the compilers of acts are told: the tree as it is now, and whose each change in it is. Reads only. */
import type { PathName } from "../../model/path-name.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { CompareSide } from "../../workspace/compare/sides.ts";
import { nowSide } from "../../workspace/compare/sides.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { loadTracks, withNow } from "../../workspace/owning/session-tracks.ts";
import type { SessionTrack } from "../../workspace/owning/track.ts";

export interface LookOptions {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly env: Environment;
  /** The sessions of the workspace. */
  readonly rows: readonly SessionRow[];
  readonly onProgress?: (done: number, total: number) => void;
}

export interface TreeLook {
  readonly repository: Repository | null;
  readonly now: CompareSide;
  readonly tracks: readonly SessionTrack[];
}

/** `also`: paths to look at although git calls them clean, or ignores them. */
export async function lookAround(options: LookOptions, also: readonly PathName[]): Promise<TreeLook> {
  const { store, workspace, env, rows, onProgress } = options;
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const progress = onProgress ? { onProgress } : {};
  const now = await nowSide(workspace, also, { env, clock: store.clock, ...progress });
  const loaded = await loadTracks(store, workspace.root, rows);
  const tracks = now.reading
    ? withNow(loaded, rows, { ...now, reading: now.reading }, store.clock.nowMs())
    : loaded;
  return { repository, now, tracks };
}
