/**
 * What stands in the tree somebody is in, for the first screen: how many paths differ from HEAD, how many are staged, what is
 * parked. Counted only, nothing is judged; who has never run anything under refloat sees his own tree first.
 */

import { RefloatError } from "../../model/errors.ts";
import { AUTO_CAPTURE_STATUS_MS } from "../../model/limits.ts";
import { readStatus } from "../../workspace/git/status.ts";
import { isStaged } from "../../workspace/tree/reading.ts";
import { parkedHere } from "../acts/parked.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceHere } from "../place/workspace-here.ts";

export interface TreeHere {
  readonly changed: number;
  readonly staged: number;
  readonly parked: readonly string[];
}

/** Null: no git, or git cannot tell; the commands that need it say why. */
export async function treeHere(at: AppPlace): Promise<TreeHere | null> {
  const store = await at.findStore();
  try {
    const { workspace } = await workspaceHere(at, store);
    if (workspace.kind === "folder") return null;
    const lines = await (workspace.asked?.lines ?? readStatus)(
      await workspace.repository(),
      AUTO_CAPTURE_STATUS_MS,
    );
    const { parked } = store ? await parkedHere(store.raw, workspace) : { parked: [] };
    return {
      changed: lines.length,
      staged: lines.filter((line) => isStaged(line)).length,
      parked: [...new Set(parked.map(({ name }) => name))],
    };
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}
