/**
 * What came from elsewhere: of every session the records that an import brought, in one journal of the store's own. It is
 * written before they are there, no import can bring it, and it stays: a command that somebody else wrote does not become
 * the user's by lying here (T2).
 */
import { IMPORTS_SESSION, type SessionId } from "../model/ids.ts";
import { bodyAs } from "../model/record.ts";
import { newRecord } from "../session/new-record.ts";
import type { TakenRange } from "../store/import.ts";
import type { Store } from "../store/store.ts";
import { ensureSession } from "./capture-session.ts";

export async function markImported(store: Store, { session, fromSeq, toSeq }: TakenRange): Promise<void> {
  await ensureSession(store, IMPORTS_SESSION, {
    agent: "refloat",
    workspace: "",
    goal: null,
    name: "imports",
  });
  const body = { session, from_seq: fromSeq, to_seq: toSeq };
  await store.append(IMPORTS_SESSION, "anyone", [newRecord(store.clock, "session.imported", body)]);
}

export async function isImported(store: Store, session: SessionId, seq: number): Promise<boolean> {
  if (!(await store.session(IMPORTS_SESSION))) return false;
  for await (const record of store.journal(IMPORTS_SESSION, { kinds: ["session.imported"] })) {
    const body = bodyAs(record, "session.imported");
    if (body?.session === session && body.from_seq <= seq && seq <= body.to_seq) return true;
  }
  return false;
}
