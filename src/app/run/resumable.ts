/** What it takes to go on with a session: whether it may, where, and what is different there now. */

import { statSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import { bodyAs, type RecordKind, type StoredRecord } from "../../model/record.ts";
import { selfOwner } from "../../platform/identity.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { FOLDER_MOVED, workspaceIn } from "../../store/contract/session-facts.ts";
import { type Difference, decideResume, differences } from "../../supervise/decide-resume.ts";
import { newestCaptures } from "../../workspace/captures/captures.ts";
import { readHead } from "../../workspace/git/head.ts";
import { rootCommit, type Workspace } from "../../workspace/opening/workspace.ts";
import { isImported } from "../../workspace/sessions/imports.ts";
import { PUT_BACK } from "../acts/held.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** Throws why not. */
export function assertResumable(
  row: SessionRow,
  summary: SessionSummary,
  all: readonly SessionRow[],
  isNamed: boolean,
): void {
  const session = row.id;
  const continuedBy = all.find(({ facts }) => facts.continues === session)?.id ?? null;
  const { state, cause } = summary;
  const decision = decideResume({ state, cause, isNamed, continuedBy });
  switch (decision) {
    case "go":
      return;
    case "live":
      throw new RefloatError("E_HELD", {
        session,
        by: summary.agent ?? "its agent",
        since: summary.started_at,
      });
    case "suspended":
      throw new RefloatError("E_RESUME_SUSPENDED", {
        session,
        why: String(row.facts.suspended ?? "by order"),
      });
    case "continued":
      throw new RefloatError("E_RESUME_CONTINUED", { session, by: continuedBy });
    case "finished":
      throw new RefloatError("E_RESUME_FINISHED", { session });
    default:
      decision satisfies never;
  }
}

/** The workspace is still there; a folder that is gone is said. */
export function placeOf(row: SessionRow): string {
  const place = workspaceIn(row);
  if (place === "" || !statSync(place, { throwIfNoEntry: false })?.isDirectory())
    throw new RefloatError("E_WORKSPACE_GONE", { session: row.id, path: place });
  return place;
}

export async function differencesNow(
  store: RefloatStore,
  row: SessionRow,
  workspace: Workspace,
): Promise<Difference[]> {
  const [taken] = await newestCaptures(store.raw, [row], 1);
  if (!taken || workspace.kind === "folder") return [];
  const repository = await workspace.repository();
  const { head, workspace: then } = taken.capture;
  const now = await readHead(repository);
  return differences(
    { branch: head?.branch ?? null, head: head?.id ?? null, rootCommit: then.root_commit },
    { branch: now.branch, head: now.id, rootCommit: await rootCommit(repository) },
    then.path !== workspace.root,
  );
}

/** True: its command was not started here, or nobody here can know that it was: it came by an import. */
export async function isFromElsewhere(store: RefloatStore, { id }: SessionRow): Promise<boolean> {
  const newest = async (kinds: readonly RecordKind[]): Promise<StoredRecord | undefined> =>
    (await store.raw.records({ session: id, kinds, order: "backward", limit: 1 }))[0];
  const [begun, claimed] = [await newest(["session.moved", "agent.marked"]), await newest(["claim.taken"])];
  if (begun && (await isImported(store.raw, id, begun.seq))) return true;
  // Put back by the user himself into another clone, or moved with its folder: his own command all the same.
  const why = begun && bodyAs(begun, "session.moved")?.reason;
  if (begun?.kind === "session.moved" && why !== PUT_BACK && why !== FOLDER_MOVED) return true;
  // Who holds it says so himself, in records that an import may have brought: it can only make us more careful.
  const owner = claimed && bodyAs(claimed, "claim.taken")?.owner;
  return owner !== undefined && owner.host !== selfOwner("refloat").host;
}
