/**
 * Before anything goes on in a tree: that it is not an older state of the one its last session worked in (workspace/captures/older-tree.ts).
 * Nothing is written by then: the next capture would take what is gone for something that was done away with.
 */
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { isAway } from "../../workspace/captures/held-work.ts";
import { olderTree } from "../../workspace/captures/older-tree.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { lastCaptureOf, SEEN_ONCE, sessionsOf } from "../../workspace/sessions/workspace-sessions.ts";

interface OlderPlace {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly env: Environment;
}

/** Of the last that was captured in this tree. A clock only chooses among sessions here; each one's own journal says where its HEAD was (D3). */
export async function assertNotOlder(place: OlderPlace, stands: string): Promise<void> {
  const { store, workspace } = place;
  if (workspace.kind === "folder") return;
  const atMs = (row: SessionRow): number => lastCaptureOf(row)?.atMs ?? -1;
  const [newest] = (await sessionsOf(store, [workspace.root, stands], SEEN_ONCE))
    .filter((row) => lastCaptureOf(row) !== null && !isAway(row, workspace))
    .toSorted((a, b) => atMs(b) - atMs(a));
  if (newest) await assertNotOlderFor(place, newest);
}

export async function assertNotOlderFor(
  { store, workspace, env }: OlderPlace,
  row: SessionRow,
): Promise<void> {
  const found = await olderTree(store, row, workspace, env);
  if (!found) return;
  const { was, is } = found;
  const what =
    found.why === "files"
      ? "files that it had written are as they were before"
      : `it stood at ${was.slice(0, 12)}, and HEAD is at ${is?.slice(0, 12) ?? "no commit"}, which never was there since`;
  throw new RefloatError("E_CHECKOUT_OLDER", { session: row.id, path: workspace.root, what });
}
