/** What an attempt left open, each with the record that opened it. */
import type { SessionId } from "../model/ids.ts";
import type { SeenSession } from "../session/claims.ts";
import type { OpenRow } from "../store/contract/driver.ts";
import type { RecordSource } from "../store/record-tail.ts";
import type { OpenThing } from "./close-left-open.ts";

/** What recovery closes; the queue, operations and what waits to be delivered are left to whoever goes on. */
export const CLOSED_BY_RECOVERY: readonly OpenRow["what"][] = ["turn", "call", "message"];

/** Read by the row that opened each, so that even a call from before the window is closed. */
export async function openThings(
  store: RecordSource,
  session: SessionId,
  seen: Pick<SeenSession, "open">,
): Promise<OpenThing[]> {
  // A queue of thousands is nothing to close.
  const closed = seen.open.filter(({ what }) => CLOSED_BY_RECOVERY.includes(what));
  const things = await Promise.all(
    closed.map(async (row): Promise<OpenThing[]> => {
      const [opened] = await store.records({ session, fromSeq: row.seq, toSeq: row.seq, limit: 1 });
      return opened ? [{ row, opened }] : [];
    }),
  );
  return things.flat();
}
