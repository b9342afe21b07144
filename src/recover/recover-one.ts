/**
 * Recovers one session, if its owner is dead and left something to do (the steps are in recover-session.ts). Of two
 * processes one does it; the other waits until that is done, and goes on itself if the first dies in it.
 */
import type { Recovered } from "../conversation/close-left-open.ts";
import type { SessionId } from "../model/ids.ts";
import { RECOVERY_LABEL } from "../model/recovery-label.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { Held } from "../session/claims.ts";
import { decideClaim } from "../session/decide-claim.ts";
import type { LeftoverEnd } from "../session/stop-leftovers.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";
import { isOwnJournal } from "../workflow/own-journal.ts";
import { olderTree } from "../workspace/captures/older-tree.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import type { PrintedWords } from "./attempt-story.ts";
import type { ListedProcess } from "./list-leftovers.ts";
import {
  type AroundOptions,
  type EndCaptureOutcome,
  type FoundAround,
  isWorthCapturing,
  lookAround,
} from "./look-around.ts";
import type { NamedEnd } from "./name-end.ts";
import { type ClosedAttempt, closeSession, giveBack, RecoveryOvertaken } from "./recover-session.ts";
import { type SurveyedSession, type SurveyOptions, surveySession } from "./survey-session.ts";

/** A recovery takes one capture; one that takes longer than this is left to itself, and the caller is told. */
const WAIT_FOR_OTHER_MS = 60_000;
const LOOK_AGAIN_MS = 50;

export interface RecoverOptions extends SurveyOptions, AroundOptions {
  /** Takes in what is left of the agent's own transcript before what is open is closed; told by a room that knows agents. */
  readonly hearRest?: (row: SessionRow, inTurn: RecoveryTurns) => Promise<void>;
  readonly words?: PrintedWords;
  /** Where several are recovered at once: what is done outside the store is done one after the other, by what it is done to. */
  readonly inTurn?: RecoveryTurns;
}

export type RecoveryTurns = <T>(what: string, work: () => Promise<T>) => Promise<T>;

/** Of one alone. */
export const atOnce: RecoveryTurns = (_what, work) => work();

export type RecoveryOutcome =
  | {
      readonly kind: "recovered";
      readonly session: SessionId;
      readonly end: NamedEnd | null;
      readonly recovered: Recovered | null;
      /** Still running. Null: this system does not tell. */
      readonly leftovers: readonly ListedProcess[] | null;
      readonly stopped: readonly LeftoverEnd[];
      readonly capture: EndCaptureOutcome;
      readonly suspended: string | null;
    }
  /** Another process is at it, and was not done when we stopped waiting. */
  | { readonly kind: "another-recovers"; readonly session: SessionId; readonly pid: number }
  /** It came to life again, or somebody took it up, while we looked. */
  | { readonly kind: "taken"; readonly session: SessionId };

/** Told by the row alone, so that a thousand old sessions cost a start next to nothing: those that ended are passed over. */
export const mayNeedRecovery = ({ id, claim, facts }: SessionRow): boolean =>
  !isOwnJournal(id) &&
  (claim.owner !== null || typeof facts.ended_at_ms !== "number" || facts.owes_end_capture === true);

/** Null: it lives, or there is nothing to do. */
export async function recoverOne(
  store: Store,
  found: Workspace | null,
  row: SessionRow,
  options: RecoverOptions,
): Promise<RecoveryOutcome | null> {
  const { facts } = row;
  const surveyed = await surveySession(store, row, options);
  if (surveyed.life.isHeld) return isRecovery(row) ? waitForOther(store, found, row, options) : null;
  // An older state of its tree is not how it left it: captured as its end, it would hide what is held (W8).
  const isOlder = found !== null && (await olderTree(store, row, found, options.env)) !== null;
  const workspace = isOlder ? null : found;
  // Settled, but its recovery died before it was through.
  const isHalfDone = facts.owes_end_capture === true || isRecovery(row);
  if (!surveyed.life.isOpen && !isHalfDone) return waitIfOvertaken(store, workspace, row, options);
  const { hearRest, inTurn = atOnce } = options;
  if (hearRest) await hearRest(row, inTurn);
  try {
    const settled = await closeSession(store, surveyed, {
      home: options.home,
      ...(options.words ? { words: options.words } : {}),
      owesEndCapture: isWorthCapturing(workspace, row) && facts.has_end_capture !== true,
      ...(options.liveness ? { liveness: options.liveness } : {}),
    });
    crashPoint("recover.after-settle");
    return await finish(store, workspace, surveyed, options, settled);
  } catch (thrown) {
    if (!(thrown instanceof Held || thrown instanceof RecoveryOvertaken)) throw thrown;
    const now = await store.session(row.id);
    if (now && thrown instanceof RecoveryOvertaken) return recoverOne(store, workspace, now, options);
    if (now && isRecovery(now)) return waitForOther(store, workspace, now, options);
    return now?.claim.owner ? { kind: "taken", session: row.id } : null; // else: done by another meanwhile
  }
}

/** Steps 2 to 4, under the claim. Whatever fails in them, the claim is given back. */
async function finish(
  store: Store,
  workspace: Workspace | null,
  surveyed: SurveyedSession,
  options: RecoverOptions,
  { attempt, recovered }: ClosedAttempt,
): Promise<RecoveryOutcome> {
  const { row, end } = surveyed;
  const { inTurn = atOnce } = options;
  const look = (): Promise<FoundAround> => lookAround(store, workspace, surveyed, options, attempt);
  // Two captures of one tree at once would read everything twice as slowly.
  const found = await (workspace ? inTurn(workspace.root, look) : look()).catch(async (thrown) => {
    await giveBack(store, row.id, attempt);
    throw thrown;
  });
  const { suspended } = await giveBack(store, row.id, attempt);
  const { leftovers, stopped, capture } = found;
  return { kind: "recovered", session: row.id, end, recovered, leftovers, stopped, capture, suspended };
}

const isRecovery = ({ claim }: SessionRow): boolean => claim.owner?.label === RECOVERY_LABEL;

/** The row was read before what is open: nothing may be open because another recovery has begun in between. */
async function waitIfOvertaken(
  store: Store,
  workspace: Workspace | null,
  row: SessionRow,
  options: RecoverOptions,
): Promise<RecoveryOutcome | null> {
  const now = await store.session(row.id);
  return now && isRecovery(now) ? waitForOther(store, workspace, now, options) : null;
}

async function waitForOther(
  store: Store,
  workspace: Workspace | null,
  row: SessionRow,
  options: RecoverOptions,
): Promise<RecoveryOutcome | null> {
  const { clock } = store;
  const untilMs = clock.monotonicMs() + WAIT_FOR_OTHER_MS;
  while (clock.monotonicMs() < untilMs) {
    await clock.sleep(LOOK_AGAIN_MS);
    const now = await store.session(row.id);
    if (!now || !isRecovery(now)) return null; // done by the other
    const held = livenessOfHolder(now, options.liveness);
    const isHeld = decideClaim(now.claim, held.liveness, clock.nowMs()).kind === "held";
    if (!isHeld) return recoverOne(store, workspace, now, options); // it died in it: we go on
  }
  return { kind: "another-recovers", session: row.id, pid: row.claim.owner?.pid ?? 0 };
}
