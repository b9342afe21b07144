/** The operations of a session, as its journal tells them: begun, ended, aborted. */
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { bodyAs } from "../../model/record.ts";
import type { Store } from "../../store/store.ts";
import { laidUpon } from "./imports.ts";

export interface ListedOperation {
  readonly id: string;
  readonly session: SessionId;
  readonly label: string;
  readonly paths: readonly string[] | null;
  readonly state: "open" | "ended" | "aborted";
  readonly at: string;
}

/** All of them, oldest first: one that was begun long ago and never ended counts like any other (S3). */
export async function operationsOf(store: Store, session: SessionId): Promise<ListedOperation[]> {
  const found = new Map<string, ListedOperation>();
  const isLaid = (await laidUpon(store))(session);
  for await (const record of store.journal(session, { kinds: ["operation.began", "operation.ended"] })) {
    if (isLaid(record)) continue;
    const began = bodyAs(record, "operation.began");
    if (began) {
      const { operation: id, label, paths } = began;
      found.set(id, { id, session, label, paths, state: "open", at: new Date(record.atMs).toISOString() });
    }
    const ended = bodyAs(record, "operation.ended");
    const known = ended && found.get(ended.operation);
    if (ended && known) found.set(known.id, { ...known, state: ended.aborted ? "aborted" : "ended" });
  }
  return [...found.values()];
}

/** The one that `op end` means: the newest open one, of this label if one is given. */
export async function openOperation(
  store: Store,
  session: SessionId,
  label: string | null,
): Promise<ListedOperation> {
  const open = (await operationsOf(store, session)).filter(({ state }) => state === "open");
  const found = open.findLast((one) => label === null || one.label === label);
  if (!found) throw new RefloatError("E_NO_OPERATION", { what: label === null ? "" : ` ${label}` });
  return found;
}
