/** D4: the same ids and bodies again are a repeat; the same id with another body is refused. */
import type { SessionId } from "../../model/ids.ts";
import type { Outcome, RawNewRecord } from "../driver.ts";
import type { Connection } from "./connection.ts";
import type { SqlRow } from "./load.ts";
import { blobToHash } from "./rows.ts";

const SELECT_BY_ID = "SELECT seq, kind, attempt, body, spilled FROM records WHERE session = ? AND id = ?";

/** Null when none of the ids is used yet. All of them there with the same bodies: a repeat. Otherwise refused. */
export function priorOf(
  db: Connection,
  session: SessionId,
  records: readonly RawNewRecord[],
  now: { readonly head: number; readonly attempt: number },
): Outcome | null {
  const twice = idGivenTwice(records);
  if (twice !== null) return { kind: "refused", refusal: { kind: "id-reused", id: twice } };
  const found = records.map((record) => db.get(SELECT_BY_ID, session, record.id));
  if (found.every((old) => old === null)) return null;
  for (const [i, record] of records.entries()) {
    const old = found[i];
    if (old && !isSameRecord(old, record))
      return { kind: "refused", refusal: { kind: "id-reused", id: record.id } };
  }
  const used = records.find((_record, i) => found[i] !== null);
  if (used && found.includes(null)) return { kind: "refused", refusal: { kind: "id-reused", id: used.id } };
  return {
    kind: "done",
    seqs: found.map((old) => Number(old?.seq)),
    head: now.head,
    // The attempt it was written under: a late repeat of a take must not hand out somebody else's (K1).
    attempt: Number(found[0]?.attempt ?? now.attempt),
    isRepeat: true,
  };
}

export function idGivenTwice(records: readonly RawNewRecord[]): string | null {
  const ids = new Set<string>();
  for (const { id } of records) {
    if (ids.has(id)) return id;
    ids.add(id);
  }
  return null;
}

function isSameRecord(old: SqlRow, record: RawNewRecord): boolean {
  const spilled = old.spilled ? blobToHash(old.spilled) : null;
  return old.kind === record.kind && old.body === record.body && spilled === record.spilled;
}
