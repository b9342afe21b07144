/** What a dead session left running, as everybody who judges its work must know it (S2): listed, never signalled. */

import { isSharedServer } from "../../agents/shared-servers.ts";
import {
  type ListedProcess,
  listLeftovers,
  listUnreadable,
  liveOwnersIn,
} from "../../recover/list-leftovers.ts";
import { surveySession } from "../../recover/survey-session.ts";
import { unsupervisedLeftovers } from "../../recover/unsupervised-leftovers.ts";
import type { FoundLeftover } from "../../salvage/judging/salvage.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { redactCommand } from "../../text/redact-part.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** `root`: of the workspace; `home`: where run folders lie. */
export async function leftoversOf(
  { raw }: RefloatStore,
  row: SessionRow,
  root: string,
  home: string,
): Promise<FoundLeftover[]> {
  const { life, story } = await surveySession(raw, row);
  if (life.isHeld) return [];
  if (story.mark === null) {
    const left = await unsupervisedLeftovers(raw, row, { root, isSharedServer });
    return Promise.all(left.map(shown));
  }
  const liveOwners = await liveOwnersIn(raw, row.id);
  const found = listLeftovers({ session: row.id, story, home, liveOwners, isSharedServer });
  // Nobody can tell whose these are; they may be writing here all the same.
  const untold = listUnreadable(root) ?? [];
  return Promise.all([...(found ?? []), ...untold].map(shown));
}

async function shown(listed: ListedProcess): Promise<FoundLeftover> {
  const { pid, command, started_at, kept } = listed;
  const redacted = (await redactCommand(command.split(" "))).join(" ");
  return { pid, command: redacted, startedAt: started_at, kept, remedy: remedyFor(listed) };
}

/** What refloat leaves alone the user may end himself; what is another session's is not his to end here. */
function remedyFor({ pid, evidence, kept, isAnothers }: ListedProcess): string | null {
  if (kept === null || isAnothers) return null;
  return evidence === "unreadable" ? `ps -fp ${pid}` : `kill ${pid}`;
}
