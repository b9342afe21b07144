/** What a dead session left running, as everybody who judges its work must know it (S2): listed, never signalled. */

import { isSharedServer } from "../../agents/shared-servers.ts";
import {
  type ListedProcess,
  listCommands,
  listLeftovers,
  listUnreadable,
  liveOwnersIn,
} from "../../recover/list-leftovers.ts";
import { surveySession } from "../../recover/survey-session.ts";
import type { FoundLeftover } from "../../salvage/judging/salvage.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { redactCommand } from "../../text/redact-part.ts";
import { commandText } from "../../workspace/owning/named-paths.ts";
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
  if (story.mark === null) return Promise.all(listCommands(root, await openCommands(raw, row)).map(shown));
  const liveOwners = await liveOwnersIn(raw, row.id);
  const found = listLeftovers({ session: row.id, story, home, liveOwners, isSharedServer });
  // Nobody can tell whose these are; they may be writing here all the same.
  const untold = listUnreadable(root) ?? [];
  return Promise.all([...(found ?? []), ...untold].map(shown));
}

/** Of an agent that nobody supervised: what its calls without a result were to run. */
async function openCommands(store: Store, { id, facts }: SessionRow): Promise<readonly string[]> {
  if (facts.only_heard !== true) return [];
  const kinds = ["call.started", "call.ended"] as const;
  const newest = await store.records({ session: id, kinds, order: "backward", limit: LAST_CALLS });
  const ended = new Set(
    newest.flatMap(({ kind, body }) => (kind === "call.ended" && body.synthetic !== true ? [body.call] : [])),
  );
  return newest.flatMap(({ kind, body }) =>
    kind === "call.started" && !ended.has(body.call) ? (commandText(body.input) ?? []) : [],
  );
}

/** Calls at the end of a session that may still be running. */
const LAST_CALLS = 200;

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
