/**
 * The last records of a session, read once for several questions about them. A question that they answer whole is answered by
 * them; what lies further back is asked of the store. A journal only grows (D2), so what is in them stays true.
 */
import type { SessionId } from "../model/ids.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
import type { StoredRecord } from "../model/record.ts";
import type { RecordQuery } from "./contract/driver.ts";
import type { Store } from "./store.ts";

/** The store, or what was read of it. */
export type RecordSource = Pick<Store, "records">;

/** The newest records of these kinds, at most `limit` of them. */
export async function readTail(
  store: RecordSource,
  session: SessionId,
  kinds: readonly string[],
  limit: number,
): Promise<RecordSource> {
  const newestFirst = await store.records({ session, kinds, limit, order: "backward" });
  // Of a damaged row not even its number is sure (D5).
  if (newestFirst.some(({ isDamaged }) => isDamaged)) return store;
  /** All of these kinds from here on are among them. */
  const wholeFrom = newestFirst.length < limit ? 0 : (newestFirst.at(-1)?.seq ?? 0);

  const records = async (query: RecordQuery): Promise<StoredRecord[]> => {
    const { fromSeq = 0, toSeq = Number.MAX_SAFE_INTEGER, order = "forward" } = query;
    const wanted = Math.min(query.limit ?? READ_PAGE_ROWS, READ_PAGE_ROWS);
    if (query.session !== session) return store.records(query);
    const near = newestFirst.filter(
      ({ seq, kind }) => seq >= fromSeq && seq <= toSeq && (query.kinds?.includes(kind) ?? true),
    );
    // One record by its number: there is no other.
    if (fromSeq === toSeq && near.length === 1) return near;
    if (!query.kinds?.every((kind) => kinds.includes(kind))) return store.records(query);
    const isWhole = fromSeq >= wholeFrom;
    if (order === "forward") return isWhole ? near.reverse().slice(0, wanted) : store.records(query);
    if (isWhole || near.length >= wanted) return near.slice(0, wanted);
    const before = { toSeq: Math.min(toSeq, wholeFrom - 1), limit: wanted - near.length };
    return [...near, ...(await store.records({ ...query, ...before }))];
  };
  return { records };
}
