/**
 * A folder that is new or empty, to be filled: every name is made by descriptor, never through a link and never over anything (W3). Git's own
 * names are refused (E_GIT_NAME).
 */
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { type PathName, pathToBytes } from "../../model/path-name.ts";
import type { PresentState } from "../../model/path-state.ts";
import { type DescriptorWalk, openDescriptorWalk } from "../../platform/descriptor-walk.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import {
  createSymlink,
  createWhole,
  makeFolder,
  newFolderMode,
  syncFolder,
} from "../../platform/tree-names.ts";
import { parentsOf } from "../primitive/tree/units.ts";

/** Where it really is; made when it is not there. `outside`: a folder it must not lie in; null: it may lie anywhere. */
export function emptyFolder(
  typed: string,
  { outside, isDryRun }: { readonly outside: string | null; readonly isDryRun: boolean },
): string {
  const wanted = resolve(typed);
  const parent = dirname(wanted);
  if (!lstatSync(parent, { throwIfNoEntry: false }))
    throw new RefloatError("E_NOT_EMPTY", { path: typed, what: "in a folder that is not there" });
  const to = wanted === parent ? wanted : join(realpathSync(parent), basename(wanted));
  if (outside !== null && placeInside(outside, to) !== null)
    throw new RefloatError("E_NOT_EMPTY", { path: typed, what: "in the workspace itself" });
  const stat = lstatSync(to, { throwIfNoEntry: false });
  if (!stat) {
    if (!isDryRun) makeFolder(Buffer.from(to), newFolderMode(), null);
    return to;
  }
  if (stat.isSymbolicLink()) throw new RefloatError("E_NOT_EMPTY", { path: typed, what: "a symlink" });
  if (!stat.isDirectory()) throw new RefloatError("E_NOT_EMPTY", { path: typed, what: "no folder" });
  if (readdirSync(to).length > 0) throw new RefloatError("E_NOT_EMPTY", { path: typed, what: "not empty" });
  return to;
}

export class NewTree {
  readonly #to: string;
  readonly #walk: DescriptorWalk;
  readonly #folders = new Set<PathName>();

  constructor(to: string) {
    this.#to = to;
    this.#walk = openDescriptorWalk(to);
  }

  /** With the folders above it. */
  async put(
    path: PathName,
    { kind, mode }: Pick<PresentState, "kind" | "mode">,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    for (const folder of parentsOf(path).toReversed()) {
      if (this.#folders.has(folder)) continue;
      this.#folders.add(folder);
      makeFolder(this.#reach(folder), newFolderMode(), null);
    }
    const at = this.#reach(path);
    if (kind === "directory") {
      if (!this.#folders.has(path)) makeFolder(at, mode || newFolderMode(), null);
      this.#folders.add(path);
    } else if (kind === "symlink") createSymlink(at, await collected(pieces), null);
    else await createWhole(at, { mode, owner: null, pieces });
  }

  /** What was put is on disk (D2). */
  sync(): void {
    for (const folder of this.#folders) {
      try {
        syncFolder(this.#reach(folder));
      } catch (thrown) {
        // A folder whose permission bits keep even us out.
        if (errnoOf(thrown) !== "EACCES") throw thrown;
      }
    }
    syncFolder(Buffer.from(this.#to));
  }

  close(): void {
    this.#walk.close();
  }

  #reach(path: PathName): Buffer {
    const reached = this.#walk.reach(pathToBytes(path));
    if (reached.kind === "reached") return reached.at;
    throw new RefloatError("E_NOT_EMPTY", { path, what: "changed by somebody else while it is written" });
  }
}

async function collected(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
