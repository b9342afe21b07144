/**
 * Recovers every session whose owner is dead: of the store, each in its own workspace where that can be found (the
 * library's `recover`; one that was only heard waits for a look in its own folder), or of one workspace, before anything else is begun or written there. What dead attempts
 * left beside the store, or running, goes with it.
 */

import { setImmediate } from "node:timers/promises";

import type { Recovered } from "../conversation/close-left-open.ts";
import type { SessionId } from "../model/ids.ts";
import { bodyAs } from "../model/record.ts";
import { selfOwner } from "../platform/identity.ts";
import { removeScratch } from "../platform/scratch.ts";
import { type IsSharedServer, parseMark } from "../session/leftovers.ts";
import { newRecord } from "../session/new-record.ts";
import { gatherProcesses, sharedByCommand } from "../session/process-facts.ts";
import { runFolderName, runFoldersIn } from "../session/run-folder.ts";
import { type LeftoverEnd, stopLeftovers } from "../session/stop-leftovers.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { awaitsHearing, workspaceIn } from "../store/contract/session-facts.ts";
import { sessionIds } from "../store/session-ids.ts";
import type { Store } from "../store/store.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import { SEEN_ONCE, sessionsOf } from "../workspace/sessions/workspace-sessions.ts";
import { listLeftovers, liveOwnersIn } from "./list-leftovers.ts";
import type { AroundOptions } from "./look-around.ts";
import {
  mayNeedRecovery,
  type RecoverOptions,
  type RecoveryOutcome,
  type RecoveryTurns,
  recoverOne,
} from "./recover-one.ts";
import { type SurveyOptions, surveySession } from "./survey-session.ts";

export interface RecoveredSession extends Recovered {
  readonly session: string;
}

export interface RecoverAllOptions extends Omit<RecoverOptions, "place"> {
  /** Null: not a work tree on this machine, so nothing is captured. */
  readonly workspaceAt: (place: string) => Workspace | null;
}

export async function recoverSessions(store: Store, options: RecoverAllOptions): Promise<RecoveryOutcome[]> {
  const ids: SessionId[] = [];
  const dead: SessionRow[] = [];
  for await (const row of store.everySession()) {
    ids.push(row.id);
    if (mayNeedRecovery(row) && !awaitsHearing(row)) dead.push(row);
  }
  const found = await recoverAll(dead, (row, inTurn) => {
    const place = workspaceIn(row);
    return recoverOne(store, options.workspaceAt(place), row, { ...options, place, inTurn });
  });
  await clearRunFolders(store, async () => ids, options);
  return found;
}

/** A dead host's sessions in a few rounds; more at once would hold the claims of those that wait for their turn. */
const RECOVERED_AT_ONCE = 100;

/** Together, so that what is read and written for them is read and written together: as many statements for sixty as for one. */
async function recoverAll(
  rows: readonly SessionRow[],
  recoverRow: (row: SessionRow, inTurn: RecoveryTurns) => Promise<RecoveryOutcome | null>,
): Promise<RecoveryOutcome[]> {
  const inTurn = turns();
  const found: RecoveryOutcome[] = [];
  for (let at = 0; at < rows.length; at += RECOVERED_AT_ONCE) {
    const slice = rows.slice(at, at + RECOVERED_AT_ONCE);
    const ended = await Promise.allSettled(slice.map((row) => recoverRow(row, inTurn)));
    for (const one of ended) {
      if (one.status === "rejected") throw one.reason;
      if (one.value) found.push(one.value);
    }
  }
  return found;
}

/** One after the other; those that wait for the same are let go together, so that they go on in step. */
function turns(): RecoveryTurns {
  const lines = new Map<string, { last: Promise<unknown>; left: number; all: PromiseWithResolvers }>();
  return async (what, work) => {
    // It begins with the next tick: whoever comes in this one stands in it, however little there is to do.
    const line = lines.get(what) ?? { last: setImmediate(), left: 0, all: withResolvers() };
    lines.set(what, line);
    line.left++;
    const result = line.last.then(work);
    // Its caller has the error; the next one's work is another matter.
    line.last = result.catch(() => undefined);
    await line.last;
    if (--line.left === 0) {
      lines.delete(what);
      line.all.resolve();
    }
    await line.all.promise;
    return result;
  };
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Those that were closed by it, with what was closed. */
export const recoveredIn = (outcomes: readonly RecoveryOutcome[]): RecoveredSession[] =>
  outcomes.flatMap((outcome) =>
    outcome.kind === "recovered" && outcome.recovered
      ? [{ session: outcome.session, ...outcome.recovered }]
      : [],
  );

/**
 * Recovers every session of a workspace whose owner is dead, before anything else is begun or written there. Called by
 * every command that begins work or may write; reading commands call `surveySession` and change nothing.
 */
export async function recoverWorkspace(
  store: Store,
  workspace: Workspace,
  options: RecoverOptions,
): Promise<RecoveryOutcome[]> {
  const places = [workspace.root, ...(options.place === undefined ? [] : [options.place])];
  const rows = await sessionsOf(store, places, SEEN_ONCE);
  const outcomes = await recoverAll(rows.filter(mayNeedRecovery), (row, inTurn) =>
    recoverOne(store, workspace, row, { ...options, inTurn }),
  );
  const { stopping, isSharedServer } = options;
  const isHere = (row: SessionRow): boolean => places.includes(workspaceIn(row));
  if (stopping) await stopLateLeftovers(store, isHere, { ...stopping, isSharedServer });
  await clearRunFolders(store, () => idsOf(store, places), options);
  return outcomes;
}

async function idsOf(store: Store, places: readonly string[]): Promise<readonly SessionId[]> {
  return (await Promise.all(places.map((workspace) => sessionIds(store.driver, { workspace })))).flat();
}

// Removes the run folders of attempts that are over: what recovery needed of them is in the journal then. A supervisor
// removes its own; one that was killed could not, and each is some 130 KiB.
// A folder goes only when its session is held by nobody, nothing of it is open or owed, and nothing it saw still runs
// (the list of what it saw is all that tells such a process, S2); else it stays for a later start.

/** Each costs a look at the machine's processes; the rest waits for the next start. */
const MAX_LOOKED_AT = 50;

interface ClearOptions extends SurveyOptions, Pick<AroundOptions, "home" | "isSharedServer"> {}

/** Of these sessions. A folder that cannot be removed is an error of the store's own folder, and said as one. */
async function clearRunFolders(
  store: Store,
  sessions: () => Promise<readonly SessionId[]>,
  options: ClearOptions,
): Promise<void> {
  const folders = runFoldersIn(options.home);
  if (folders.length === 0) return;
  const ids = new Map((await sessions()).map((id) => [runFolderName(id), id]));
  for (const folder of folders.filter(({ session }) => ids.has(session)).slice(0, MAX_LOOKED_AT)) {
    const id = ids.get(folder.session);
    if (id !== undefined && (await isOver(store, id, folder.attempt, options))) removeScratch(folder.path);
  }
}

async function isOver(
  store: Store,
  id: SessionId,
  attempt: number,
  { home, isSharedServer, ...survey }: ClearOptions,
): Promise<boolean> {
  const row = await store.session(id);
  if (!row || attempt > row.claim.attempt) return false;
  const { life, story } = await surveySession(store, row, survey);
  if (life.isHeld || life.isOpen || row.facts.owes_end_capture === true) return false;
  const liveOwners = story.mark === null ? [] : await liveOwnersIn(store, id);
  const leftovers = listLeftovers({ session: id, story, home, liveOwners, isSharedServer }) ?? [];
  if (leftovers.length > 0) return false;
  // The row was read first: unless it is still the same, somebody has taken the session up, and may need the folder.
  const now = await store.session(id);
  const isSame = now?.claim.owner?.instance === row.claim.owner?.instance;
  return isSame && now?.claim.attempt === row.claim.attempt;
}

interface LateOptions extends NonNullable<AroundOptions["stopping"]> {
  readonly isSharedServer?: IsSharedServer | undefined;
}

/**
 * Stops what carries the mark of an attempt that is over and recorded (S2): a process that came to life, or was found, only
 * after its end was recorded. Recovery passes over sessions that ended; the processes themselves say which of those matter,
 * so that a thousand old sessions cost one look at the list of processes.
 */
export async function stopLateLeftovers(
  store: Store,
  isMeant: (row: SessionRow) => boolean,
  { onFound, isSharedServer }: LateOptions,
): Promise<LeftoverEnd[]> {
  const marks = new Set(
    (gatherProcesses() ?? []).flatMap(({ mark, isOurs }) => (mark !== null && isOurs ? [mark] : [])),
  );
  const ends: LeftoverEnd[] = [];
  for (const mark of marks) {
    const session = parseMark(mark)?.session;
    const row = session === undefined ? null : await store.session(session as SessionId);
    if (!row || !isMeant(row) || !(await isOverMark(store, row, mark))) continue;
    const options = { clock: store.clock, liveOwners: await liveOwnersIn(store, row.id), onFound };
    const query = { mark, seen: [], self: selfOwner().pid, isShared: sharedByCommand(isSharedServer) };
    const stopped = (await stopLeftovers(query, options)) ?? [];
    if (stopped.length > 0) await recordStopped(store, row.id, mark, stopped);
    ends.push(...stopped);
  }
  return ends;
}

/** Its owner is gone and its end is recorded: the record is nobody's own, as its stopping was. */
async function recordStopped(
  store: Store,
  session: SessionId,
  mark: string,
  ends: readonly LeftoverEnd[],
): Promise<void> {
  const body = { attempt: parseMark(mark)?.attempt ?? 0, processes: ends.map((end) => ({ ...end })) };
  await store.append(session, "anyone", [newRecord(store.clock, "leftovers.late", body)]);
}

/** Only the exact mark of an attempt that was recorded, and only while nobody holds the session. */
async function isOverMark(store: Store, row: SessionRow, mark: string): Promise<boolean> {
  const { life } = await surveySession(store, row);
  if (life.isHeld) return false;
  for await (const record of store.journal(row.id, { kinds: ["agent.marked"] }))
    if (bodyAs(record, "agent.marked")?.mark === mark) return true;
  return false;
}
