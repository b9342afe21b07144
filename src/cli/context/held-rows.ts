/**
 * Sessions of this repository whose own place is no more: a clone that was deleted, a work tree that was removed. Their work is held,
 * and belongs in the list of whoever stands in a clone of the same repository (W8). Only those that left something unsettled.
 */
import { existsSync } from "node:fs";
import { isActsSession } from "../../acts/plans/is-acts-session.ts";
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { isWorkflowSession } from "../../workflow/claim-ids.ts";
import { isOfSameRepository } from "../../workspace/captures/held-work.ts";
import { lastCaptureOf } from "../../workspace/sessions/workspace-sessions.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import type { RepositoryScope } from "./repository-scope.ts";

export async function heldRows(
  store: RefloatStore,
  { kind, workspace: root }: RepositoryScope,
): Promise<readonly SessionRow[]> {
  if (kind !== "repository" || root === null) return [];
  const gone = (await store.raw.workspaces()).filter((place) => place !== "" && !existsSync(place));
  if (gone.length === 0) return [];
  const workspace = openTrustedOrNull(store.raw, root, process.env);
  if (workspace?.kind !== "git") return [];
  const known = new Map<string | null, boolean>();
  const rows: SessionRow[] = [];
  for (const place of gone)
    for (const row of await store.raw.sessions({ workspace: place })) {
      if (row.facts.capture === undefined || isWorkflowSession(row.id) || isActsSession(row.id)) continue;
      // Asked of git once for each repository, not for each session.
      const first = lastCaptureOf(row)?.rootCommit ?? null;
      if (first === null || !known.has(first)) known.set(first, await isOfSameRepository(row, workspace));
      if (known.get(first)) rows.push(row);
    }
  const summaries = rows.length === 0 ? [] : await store.describe(rows);
  const unsettled = new Set(summaries.filter((one) => one.unsettled).map(({ id }) => id));
  return rows.filter(({ id }) => unsettled.has(id));
}
