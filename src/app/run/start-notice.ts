/**
 * What an agent that `run` starts is told of work that lies half done in the same place (DESIGN 9): on stderr for whoever
 * watches, and in REFLOAT_NOTICE for the agent. Once for an interruption. `resume` and `loop` give the brief instead.
 */

import { type InterruptedAttempt, recordNotice } from "../../handoff/notice.ts";
import { ensureError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { dueOf, leftHere, type NoticePlace, noticeText } from "../handoff/due-notice.ts";
import type { RefloatStore } from "../store/open-store.ts";

export const NOTICE_VARIABLE = "REFLOAT_NOTICE";

export interface StartNotice {
  readonly about: InterruptedAttempt;
  /** At most eight lines, each with its line break. */
  readonly text: string;
}

/** Null: nothing is to be said. A notice that cannot be made keeps no agent from starting: that is said instead. */
export async function startNotice(
  store: RefloatStore,
  here: NoticePlace,
  onFailed: (error: Error) => void,
): Promise<StartNotice | null> {
  try {
    return await newestDue(store, here);
  } catch (thrown) {
    onFailed(ensureError(thrown));
    return null;
  }
}

export async function showNotice(
  store: Store,
  workspace: Workspace,
  { about, text }: StartNotice,
  { to, say }: { readonly to: SessionId; readonly say: (line: string) => void },
): Promise<void> {
  for (const line of text.trimEnd().split("\n")) say(line);
  await recordNotice(store, workspace, about, to);
}

async function newestDue(store: RefloatStore, here: NoticePlace): Promise<StartNotice | null> {
  for await (const due of dueOf(store, here, await leftHere(store, here))) {
    const text = await noticeText(store, due, here);
    if (text !== null) return { about: due.about, text };
  }
  return null;
}
