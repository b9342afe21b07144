/**
 * Submodules, each through a door of its own: git looking into them for us would run under their
 * configuration. Held is which commit one is at; what is changed inside is named, never held.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { Environment } from "../../platform/places.ts";
import { count } from "../../text/counting.ts";
import { shownPath } from "../../text/shown-path.ts";
import { readTracked } from "./beside-status.ts";
import { readHead } from "./head.ts";
import { repositoryAt } from "./locate.ts";
import { openRepository } from "./repository.ts";
import { readStatus } from "./status.ts";

export interface SubmoduleFound {
  readonly path: PathName;
  readonly state: PathState;
  /** Why its contents are not held; null: it is clean, at the commit the index names. */
  readonly gap: string | null;
}

/** Repositories with more are looked at only so far: each costs three processes. */
export const MAX_SUBMODULES = 50;
/** Submodules of submodules; deeper is a loop or a mistake. */
const MAX_DEPTH = 4;

/** Null: it is not checked out. */
export async function readSubmodule(
  root: string,
  { path, id }: { readonly path: PathName; readonly id: string },
  env: Environment,
  timeoutMs: number,
  depth = 0,
): Promise<SubmoduleFound | null> {
  try {
    const location = path.isWellFormed() ? locationOf(root, path) : null;
    if (!location) return null;
    const repository = await openRepository(location, { env });
    const head = await readHead(repository);
    const state: PathState = {
      kind: "submodule",
      mode: 0,
      size: 0,
      hash: null,
      ...(head.id === null ? {} : { target: head.id }),
    };
    const gap = await whyNotHeld();
    return { path, state, gap };

    async function whyNotHeld(): Promise<string | null> {
      const lines = await readStatus(repository, timeoutMs);
      if (lines.length > 0)
        return `${count(lines.length, "changed path")} inside a submodule ${lines.length === 1 ? "is" : "are"} not held`;
      if (head.id !== id) return "its commit is another than the index names; the commit itself is not held";
      const { submodules } = await readTracked(repository, timeoutMs);
      if (submodules.length > 0 && depth >= MAX_DEPTH) return "submodules in submodules were not looked at";
      for (const inner of submodules.slice(0, MAX_SUBMODULES)) {
        const found = await readSubmodule(location?.root ?? root, inner, env, timeoutMs, depth + 1);
        if (found?.gap) return `${shownPath(inner.path)}: ${found.gap}`;
      }
      return null;
    }
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    return { path, state: null, gap: thrown.message };
  }
}

function locationOf(root: string, path: PathName): ReturnType<typeof repositoryAt> {
  const folder = join(root, path);
  try {
    // A link in the way leads elsewhere: then there is no submodule here.
    return realpathSync(folder) === folder ? repositoryAt(folder) : null;
  } catch (thrown) {
    if (
      thrown instanceof Error &&
      "code" in thrown &&
      (thrown.code === "ENOENT" || thrown.code === "ENOTDIR")
    )
      return null;
    throw thrown;
  }
}
