/**
 * Drops the uncommitted changes of a session at paths somebody names: those files and no others, as for a restore (W5); that a
 * group is taken apart by it is said (S4, T1). What is chosen by what it is goes in whole groups, by `settle`.
 */
import { compileDiscard, type DiscardFacts } from "../../acts/compilers/discard.ts";
import { gatherDiscard } from "../../acts/compilers/gather-discard.ts";
import { RefloatError } from "../../model/errors.ts";
import { isWithin, type PathName } from "../../model/path-name.ts";
import { shownPath } from "../../text/shown-path.ts";
import { pathsOf } from "../../workspace/compare/states.ts";
import { lookAt } from "../../workspace/files/read-path.ts";
import { assertNotJudgedAs } from "../../workspace/trust/judged-session.ts";
import { type ActHow, act, type EndedAct } from "../acts/act.ts";
import type { AppPlace } from "../place/app-place.ts";
import { assertOver } from "../sessions/assert-over.ts";
import type { ChosenSession } from "../sessions/choose-session.ts";
import type { DescribedSession } from "../sessions/find-session.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { type SalvageFace, salvageSession } from "./salvage-session.ts";

export interface DiscardOrder {
  /** Whose changes. */
  readonly session: ChosenSession & { readonly store: RefloatStore; readonly chosen: DescribedSession };
  readonly paths: readonly PathName[];
  readonly note: string | null;
}

export async function discardPaths(
  at: AppPlace,
  how: ActHow & SalvageFace,
  { session, paths, note }: DiscardOrder,
): Promise<EndedAct> {
  const { store, here, rows, chosen } = session;
  const { row, summary } = chosen;
  if (!how.isDryRun) {
    assertNotJudgedAs(here.env, row.id, "discard its own session's changes");
    assertOver(summary);
  }
  return act(how, { store, here }, async (onProgress) => {
    const options = { store: store.raw, workspace: here.workspace, env: here.env, rows, onProgress };
    const { facts, headId } = await gatherDiscard(options, row.id, paths);
    assertThere(here.workspace.root, paths, facts);
    const { draft, leftAlone } = compileDiscard(facts);
    const { found } = await salvageSession(at, session, { isChecking: false }, how);
    return {
      draft: { ...draft, note },
      leftAlone,
      subject: {
        kind: "session",
        session: row.id,
        clean: draft.puts.filter(({ path }) => facts.isReconstructed(path)).length,
      },
      word: "discard",
      commit: headId,
      groups: found.groups,
    };
  });
}

/** T1: a name that is neither in the tree nor of a change was mistyped: that there is nothing to do would be taken for done. */
function assertThere(root: string, paths: readonly PathName[], facts: DiscardFacts): void {
  const { changes, found, unknown } = facts;
  const known = [...changes.flatMap(pathsOf), ...[...found, ...unknown].map(({ path }) => path)];
  for (const path of paths)
    if (!known.some((one) => isWithin(one, path)) && !lookAt(root, path))
      throw new RefloatError("E_NO_PATH", {
        path: shownPath(path),
        where: "in this tree, nor is it a change of it",
        capture: "HEAD",
      });
}
