/** The journal of the store's own in which it stays, where that is wanted, that a session was removed and why. */
import { DELETIONS_SESSION } from "../../model/ids.ts";
import type { Store } from "../../store/store.ts";
import { ensureSession } from "../../workspace/sessions/capture-session.ts";

export const keepDeletions = (store: Store): Promise<void> =>
  ensureSession(store, DELETIONS_SESSION, { agent: "refloat", workspace: "", goal: null, name: "deletions" });
