/** A journal of any size, gone through with one body in memory at a time, each record with the contents that it names. */
import type { SessionId } from "../model/ids.ts";
import type { StoredRecord } from "../model/record.ts";
import type { RefRow } from "./contract/driver.ts";
import type { Store } from "./store.ts";

export interface NamingRecord {
  readonly record: StoredRecord;
  readonly refs: readonly RefRow[];
  /** What its row holds of its body. */
  readonly inlineBytes: number;
}

/** Rows of one read: each may have INLINE_BODY_BYTES, and thousands of names. */
const ROWS_AT_ONCE = 64;

export async function* eachRecord(
  store: Store,
  session: SessionId,
  toSeq = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<NamingRecord> {
  let fromSeq = 1;
  while (fromSeq <= toSeq) {
    const rows = await store.driver.readRecords({ session, fromSeq, toSeq, limit: ROWS_AT_ONCE });
    const last = rows.at(-1)?.seq;
    if (last === undefined) return;
    const named = new Map<number, RefRow[]>();
    for (const ref of await store.driver.readRefs(session, fromSeq, last)) {
      const refs = named.get(ref.seq);
      if (refs) refs.push(ref);
      else named.set(ref.seq, [ref]);
    }
    for (const row of rows)
      yield {
        record: await store.decode(row),
        refs: named.get(row.seq) ?? [],
        inlineBytes: row.body.length,
      };
    fromSeq = Math.max(fromSeq, last) + 1;
  }
}
