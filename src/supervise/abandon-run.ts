/** Ends a session whose agent never started: nothing happened in it, so it is finished, and its claim is free. */
import { openThings } from "../conversation/begin.ts";
import type { SessionId } from "../model/ids.ts";
import { removeScratch } from "../platform/scratch.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { closeOpen } from "./close-open.ts";
import type { PreparedRun } from "./prepare-run.ts";

export async function abandonRun(
  store: Store,
  { session, attempt }: { readonly session: SessionId; readonly attempt: number },
  run: PreparedRun | null,
): Promise<void> {
  run?.keeper.close();
  try {
    const things = await openThings(store, session, { open: await store.open(session) });
    await store.release(session, attempt, [
      ...closeOpen(store.clock, things, "cancelled"),
      newRecord(store.clock, "session.finished", { cause: "clean" }),
      newRecord(store.clock, "claim.released", { attempt }),
    ]);
    if (run) removeScratch(run.folder);
  } catch (_unreachable) {
    // Why nothing was started is the news; a claim that could not be given back is free when this process ends (K2).
  }
}
