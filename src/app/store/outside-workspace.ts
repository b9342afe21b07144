/** A store inside the workspace would be captured into itself, and die with it (DESIGN 5): refused before anything is made there (W1). */
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import { isPostgres, storePath } from "../../platform/store-address.ts";

export function assertStoreOutside(address: string, root: string): void {
  if (isPostgres(address) || !isThere(root)) return;
  const path = storePath(address);
  if (placeInside(realpathSync(root), realPath(path)))
    throw new RefloatError("E_STORE_IN_WORKSPACE", { path, workspace: root });
}

/** Where a file would come to lie that may not be there yet, nor its folder: links on the way are followed. */
function realPath(path: string): string {
  if (isThere(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}

/** Below a file, or where nobody may look, there is nothing either: whoever opens the store says what is wrong with its place. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return false;
  }
}
