/**
 * `resume` where the session's work is held and not in the tree it would go on in (W8): it is put back first, when somebody says so,
 * and never started on a tree without it.
 */

import { existsSync } from "node:fs";
import { actedInName } from "../../../acts/plans/session-acts.ts";
import { finishOpenUnlessBusy } from "../../../app/acts/finish-open.ts";
import { type WorkspaceHere, workspaceAt } from "../../../app/place/workspace-here.ts";
import { sessionTree } from "../../../app/sessions/session-tree.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { isAway } from "../../../workspace/captures/held-work.ts";
import { openTrustedOrNull } from "../../../workspace/trust/open-trusted.ts";
import { whereabouts } from "../../../workspace/unsettled/held-unsettled.ts";
import { mayAct } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { putBackFirst } from "../plans/put-back-first.ts";
import { isLinkedTree, recreateFirst } from "./resume-recreate.ts";

/** Where its held work would be put before it goes on; null: nothing is missing in its tree. */
export async function heldAway(
  context: Context,
  store: RefloatStore,
  row: SessionRow,
): Promise<WorkspaceHere | null> {
  const place = String(row.facts.workspace ?? "");
  // Git can make it anew, at its own place: that comes before putting its work anywhere else.
  if (place !== "" && !existsSync(place) && (await isLinkedTree(store, row)))
    throw new RefloatError("E_WORKSPACE_GONE", { session: row.id, path: place });
  const open = (place: string): Promise<WorkspaceHere> => workspaceAt(context, store, place);
  const found = await sessionTree(row, context.place(), open);
  if (!found || !isAway(row, found.workspace)) return null;
  const { workspace, env } = found;
  const where = await whereabouts({ store: store.raw, workspace, row, env, findActed: actedInName });
  return where && where.away.length > 0 && !where.isBrought ? found : null;
}

/** The session's row as it is then: put into another clone, it goes on there. */
export async function putBackForResume(
  context: Context,
  input: CommandInput,
  store: RefloatStore,
  row: SessionRow,
  isNamed: boolean,
): Promise<SessionRow> {
  const isTold = isSet(input, "recreate");
  const isAnywhere = await isOfClone(context, store, row);
  if (isTold && (!isAnywhere || (await isLinkedTree(store, row))))
    await recreateFirst(context, store, row, isNamed);
  // What a killed start left of bringing its tree back is ended before anybody asks what is missing in it (S5).
  const own = openTrustedOrNull(store.raw, String(row.facts.workspace ?? ""), process.env);
  if (own)
    await finishOpenUnlessBusy({ store: store.raw, workspace: own, env: context.env }, teller(context));
  const here = await heldAway(context, store, row);
  if (!here) return row;
  if (!isTold && !mayAct(context))
    throw new RefloatError("E_RESUME_HELD", { session: row.id, path: here.workspace.root });
  await putBackFirst(context, { store, here }, row, { isTold });
  return (await store.raw.session(row.id)) ?? row;
}

/** False: neither its own place nor the one somebody stands in is a tree of its repository. */
async function isOfClone(context: Context, store: RefloatStore, row: SessionRow): Promise<boolean> {
  try {
    return (await sessionTree(row, context.place(), (place) => workspaceAt(context, store, place))) !== null;
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_WORKSPACE_GONE") return false;
    throw thrown;
  }
}
