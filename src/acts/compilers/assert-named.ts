/**
 * A path typed wrong must not end in "done" (T1): what is named to `restore` is somewhere, in the capture, in the commit
 * it was taken on, or in the tree and its HEAD now. Where a commit cannot be read any more nobody knows, and nothing is said.
 */
import { RefloatError } from "../../model/errors.ts";
import { isWithin, type PathName } from "../../model/path-name.ts";
import { shownPath } from "../../text/shown-path.ts";
import { lookAt } from "../../workspace/files/read-path.ts";
import { allObjectsAt } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Reading } from "../../workspace/tree/reading.ts";

export interface NamedPlaces {
  readonly capture: string;
  readonly reading: Pick<Reading, "entries" | "gaps">;
  readonly repository: Repository | null;
  /** The capture's commit, and HEAD now where that counts. */
  readonly commits: readonly (string | null)[];
  /** Null: what the tree has does not count, as for a copy of the capture alone. */
  readonly root: string | null;
}

export async function assertNamed(places: NamedPlaces, named: readonly PathName[]): Promise<void> {
  const { capture, reading, repository, root } = places;
  const gaps = reading.gaps.map(({ path }) => path);
  const known = [...gaps, ...reading.entries.map(({ path }) => path)];
  const strange = named.filter(
    (path) =>
      path !== "" &&
      !known.some((one) => isWithin(one, path)) &&
      !gaps.some((gap) => isWithin(path, gap)) &&
      (root === null || lookAt(root, path) === null),
  );
  if (strange.length === 0) return;
  for (const commit of new Set(places.commits)) {
    const paths = await pathsAt(repository, commit);
    if (paths === null) return;
    const missing = strange.filter((path) => !paths.some((one) => isWithin(one, path)));
    strange.splice(0, strange.length, ...missing);
  }
  const [first] = strange;
  if (first === undefined) return;
  const where = `in the capture ${capture}${root === null ? "" : ", nor in the tree"}`;
  throw new RefloatError("E_NO_PATH", { path: shownPath(first), where, capture });
}

/** Null: the commit is gone, so what it had is not known. */
async function pathsAt(repository: Repository | null, commit: string | null): Promise<PathName[] | null> {
  if (!repository || commit === null) return [];
  try {
    return [...(await allObjectsAt(repository, commit)).keys()];
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_GIT_FAILED") return null;
    throw thrown;
  }
}
