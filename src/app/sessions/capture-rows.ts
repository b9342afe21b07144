/** Whose captures can be listed and named here: those of the sessions, and those that acts took first, of what they were to change. */
import { actsSessionOf } from "../../acts/plans/acts-session.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { WorkspaceHere } from "../place/workspace-here.ts";
import type { RefloatStore } from "../store/open-store.ts";

export async function captureRows(
  store: RefloatStore,
  { workspace }: WorkspaceHere,
  sessions: readonly SessionRow[],
): Promise<SessionRow[]> {
  const acts = await store.raw.session(actsSessionOf(workspace));
  return acts ? [...sessions, acts] : [...sessions];
}
