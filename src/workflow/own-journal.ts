/**
 * Journals that are no agent's session: refloat keeps the user's own word there (plans, verdicts, trust, what was imported,
 * a workflow's state, losses he accepted, what waits for workers). Told by the id alone: lists of sessions leave them out, and no import brings one (T2).
 */
import {
  DELETIONS_SESSION,
  FLEET_SESSION,
  IMPORTS_SESSION,
  isActsSession,
  isQueueSession,
  isResuming,
  isWorkerPlace,
  LOSSES_SESSION,
  TRUST_SESSION,
} from "../model/ids.ts";
import { isWorkflowSession } from "../model/workflow-ids.ts";

export const isOwnJournal = (id: string): boolean =>
  isActsSession(id) || isWorkflowSession(id) || isFleets(id) || OWN.has(id);

const isFleets = (id: string): boolean => isQueueSession(id) || isResuming(id) || isWorkerPlace(id);

/** Which sessions are a user's: every list, choice and recovery of sessions is of these. */
export const usersSessions = <Row extends { readonly id: string }>(rows: readonly Row[]): Row[] =>
  rows.filter(({ id }) => !isOwnJournal(id));

const OWN: ReadonlySet<string> = new Set([
  TRUST_SESSION,
  IMPORTS_SESSION,
  LOSSES_SESSION,
  DELETIONS_SESSION,
  FLEET_SESSION,
]);
