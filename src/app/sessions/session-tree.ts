/**
 * The tree in which a session's work is looked at: its own, wherever somebody stands (W5). Where that is no more, the work is held,
 * and any clone of the repository will do: the one that lies at its path now, else the one somebody stands in (W8).
 */
import { statSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { isAway, isOfSameRepository } from "../../workspace/captures/held-work.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";

interface OpenedTree {
  readonly workspace: Workspace;
}

/** `stands`: where somebody stands. Null: the session worked nowhere. Throws E_WORKSPACE_GONE where there is no such clone. */
export async function sessionTree<T extends OpenedTree>(
  row: SessionRow,
  stands: string,
  open: (place: string) => Promise<T>,
): Promise<T | null> {
  const place = row.facts.workspace;
  if (typeof place !== "string" || place === "") return null;
  const own = isFolder(place) ? await open(place) : null;
  if (own && (!isAway(row, own.workspace) || (await isOfSameRepository(row, own.workspace)))) return own;
  const here = await openedOrNull(() => open(stands));
  if (here && (await isOfSameRepository(row, here.workspace))) return here;
  if (own) return own;
  throw new RefloatError("E_WORKSPACE_GONE", { session: row.id, path: place });
}

/** Where somebody stands may be no place for work at all: the store's own folder, a repository that leads elsewhere. */
async function openedOrNull<T>(open: () => Promise<T>): Promise<T | null> {
  try {
    return await open();
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}

const isFolder = (place: string): boolean =>
  statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
