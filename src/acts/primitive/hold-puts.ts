/** Before a plan is made: the bytes it will put are in the store, those HEAD alone has are brought there. */
import { RefloatError } from "../../model/errors.ts";
import type { Store } from "../../store/store.ts";
import { shownPath } from "../../text/shown-path.ts";
import { storeSink } from "../../workspace/files/contents-sink.ts";
import { headStates } from "../../workspace/git/head-states.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { PathPut } from "../plans/draft.ts";

/** Throws E_NO_CONTENT before anything is changed when bytes are nowhere any more. */
export async function holdPuts(
  store: Store,
  repository: Repository | null,
  commit: string | null,
  puts: readonly PathPut[],
): Promise<void> {
  const missing: PathPut[] = [];
  for (const one of puts) {
    const hash = one.put?.hash;
    if (hash && !(await store.driver.readContent(hash))) missing.push(one);
  }
  if (missing.length === 0) return;
  const paths = missing.map(({ path }) => path);
  const held =
    repository && commit !== null
      ? await headStates(repository, commit, paths, { sink: storeSink(store) })
      : new Map<string, never>();
  const lost = missing.find(({ path, put }) => {
    const found = held.get(path);
    return found?.kind !== "read" || found.state?.hash !== put?.hash;
  });
  if (lost) throw new RefloatError("E_NO_CONTENT", { hash: shownPath(lost.path) });
}
