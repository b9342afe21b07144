/**
 * Removes the run folders of attempts that are over: what recovery needed of them is in the journal then. A supervisor
 * removes its own; one that was killed could not, and each is some 130 KiB.
 *
 * A folder goes only when its session is held by nobody, nothing of it is open or owed, and nothing it saw still runs
 * (the list of what it saw is all that tells such a process, S2); else it stays for a later start.
 */
import type { SessionId } from "../model/ids.ts";
import { removeScratch } from "../platform/scratch.ts";
import { runFolderName, runFoldersIn } from "../session/run-folder.ts";
import type { Store } from "../store/store.ts";
import { listLeftovers, liveOwnersIn } from "./list-leftovers.ts";
import { type SurveyOptions, surveySession } from "./survey-session.ts";

/** Each costs a look at the machine's processes; the rest waits for the next start. */
const MAX_LOOKED_AT = 50;

export interface ClearOptions extends SurveyOptions {
  readonly home: string;
}

/** Of these sessions. A folder that cannot be removed is an error of the store's own folder, and said as one. */
export async function clearRunFolders(
  store: Store,
  sessions: readonly SessionId[],
  options: ClearOptions,
): Promise<void> {
  const folders = runFoldersIn(options.home);
  if (folders.length === 0) return;
  const ids = new Map(sessions.map((id) => [runFolderName(id), id]));
  for (const folder of folders.filter(({ session }) => ids.has(session)).slice(0, MAX_LOOKED_AT)) {
    const id = ids.get(folder.session);
    if (id !== undefined && (await isOver(store, id, folder.attempt, options))) removeScratch(folder.path);
  }
}

async function isOver(
  store: Store,
  id: SessionId,
  attempt: number,
  { home, ...survey }: ClearOptions,
): Promise<boolean> {
  const row = await store.session(id);
  if (!row || attempt > row.claim.attempt) return false;
  const { life, story } = await surveySession(store, row, survey);
  if (life.isHeld || life.isOpen || row.facts.owes_end_capture === true) return false;
  const liveOwners = story.mark === null ? [] : await liveOwnersIn(store, id);
  const leftovers = listLeftovers({ session: id, story, home, liveOwners }) ?? [];
  if (leftovers.length > 0) return false;
  // The row was read first: unless it is still the same, somebody has taken the session up, and may need the folder.
  const now = await store.session(id);
  const isSame = now?.claim.owner?.instance === row.claim.owner?.instance;
  return isSame && now?.claim.attempt === row.claim.attempt;
}
