/** Whether somebody was told of an interruption already: a record in the workspace's own journal, one per session and try. */
import { actsSessionOf } from "../acts/plans/acts-session.ts";
import type { RecordId, SessionId } from "../model/ids.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import { ensureSession } from "../workspace/sessions/capture-session.ts";

export interface InterruptedAttempt {
  readonly session: string;
  readonly attempt: number;
}

const idOf = ({ session, attempt }: InterruptedAttempt): RecordId =>
  `notice:${session}:${attempt}` as RecordId;

export async function wasNoticed(
  store: Store,
  workspace: Workspace,
  about: InterruptedAttempt,
): Promise<boolean> {
  const journal = actsSessionOf(workspace);
  if (!(await store.session(journal))) return false;
  return (await store.recordById(journal, idOf(about))) !== null;
}

/** After it was shown, never before: a kill in between shows it twice, which costs nothing (T1). */
export async function recordNotice(
  store: Store,
  workspace: Workspace,
  about: InterruptedAttempt,
  to: SessionId,
): Promise<void> {
  if (await wasNoticed(store, workspace, about)) return;
  const journal = actsSessionOf(workspace);
  const name = `acts in ${workspace.root}`;
  await ensureSession(store, journal, { agent: "refloat", workspace: "", goal: null, name });
  const body = { ...about, to };
  await store.append(journal, "anyone", [newRecord(store.clock, "notice.shown", body, idOf(about))]);
}
