/**
 * Drops the uncommitted changes of a session at paths somebody names: those files and no others, as for a restore (W5); that a
 * group is taken apart by it is said (S4, T1). What is chosen by what it is goes in whole groups, by `settle`.
 */
import { compileDiscard } from "../../acts/compilers/discard.ts";
import { gatherDiscard } from "../../acts/compilers/gather-discard.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Salvage } from "../../salvage/judging/salvage.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { assertNotJudgedAs } from "../../workspace/trust/judged-session.ts";
import { type ActHow, type ActPlace, act, type EndedAct } from "../acts/act.ts";
import type { DescribedSession } from "../sessions/find-session.ts";
import { assertOver } from "./assert-over.ts";

export interface DiscardOrder extends ActPlace {
  /** Whose changes. */
  readonly session: DescribedSession;
  /** The sessions of the workspace. */
  readonly rows: readonly SessionRow[];
  readonly paths: readonly PathName[];
  readonly note: string | null;
  /** What it left, by its groups: for the groups that are taken apart. */
  readonly judge: () => Promise<Salvage>;
}

export async function discardPaths(how: ActHow, order: DiscardOrder): Promise<EndedAct> {
  const { store, here, rows, paths, note } = order;
  const { row, summary } = order.session;
  if (!how.isDryRun) {
    assertNotJudgedAs(here.env, row.id, "discard its own session's changes");
    assertOver(summary);
  }
  return act(how, { store, here }, async (onProgress) => {
    const options = { store: store.raw, workspace: here.workspace, env: here.env, rows, onProgress };
    const { facts, headId } = await gatherDiscard(options, row.id, paths);
    const { draft, leftAlone } = compileDiscard(facts);
    const { groups } = await order.judge();
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
      groups,
    };
  });
}
