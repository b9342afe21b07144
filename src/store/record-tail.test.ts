/** What was read once answers as the store would, whatever is asked, and asks it only for what lies further back. */

import { expect, test } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { journalOf } from "../../test/support/journal-of.ts";
import type { SessionId } from "../model/ids.ts";
import type { StoredRecord } from "../model/record.ts";
import type { RecordQuery } from "./contract/driver.ts";
import { type RecordSource, readTail } from "./record-tail.ts";

const SESSION = "s" as SessionId;
const KINDS = ["a", "b", "c", "d"];
const MAX_RECORDS = 12;

/** As a store reads, with what it was asked. */
function storeOf(records: readonly StoredRecord[]): RecordSource & { readonly asked: RecordQuery[] } {
  const asked: RecordQuery[] = [];
  return {
    asked,
    records: async (query) => {
      asked.push(query);
      const { session, kinds, fromSeq = 0, toSeq = Number.POSITIVE_INFINITY, limit, order } = query;
      const found = records.filter(
        (one) =>
          one.session === session &&
          one.seq >= fromSeq &&
          one.seq <= toSeq &&
          (kinds?.includes(one.kind) ?? true),
      );
      return (order === "backward" ? found.toReversed() : found).slice(0, limit);
    },
  };
}

const kindsArb = fc.uniqueArray(fc.constantFrom(...KINDS));
const seqArb = fc.integer({ min: 0, max: MAX_RECORDS + 1 });
const queryArb: fc.Arbitrary<RecordQuery> = fc
  .record(
    {
      kinds: kindsArb,
      fromSeq: seqArb,
      toSeq: seqArb,
      limit: fc.integer({ min: 1, max: MAX_RECORDS }),
      order: fc.constantFrom("forward" as const, "backward" as const),
    },
    { requiredKeys: [] },
  )
  .map((query) => ({ ...query, session: SESSION }));

test("a tail answers every question as the store does, also about what lies before it", async () => {
  const journalArb = fc.array(fc.constantFrom(...KINDS), { maxLength: MAX_RECORDS });
  const tailArb = fc.record({ kinds: kindsArb, limit: fc.integer({ min: 1, max: MAX_RECORDS }) });
  await fc.assert(
    fc.asyncProperty(journalArb, tailArb, queryArb, async (journal, { kinds, limit }, query) => {
      const store = storeOf(journalOf(...journal.map((kind) => [kind, {}] as const)));
      const tail = await readTail(store, SESSION, kinds, limit);
      expect(await tail.records(query)).toEqual(await store.records(query));
    }),
    { numRuns: 2_000 },
  );
});

test("what the tail holds is not asked of the store again, and of what lies before it only the rest", async () => {
  const store = storeOf(journalOf(["a", {}], ["b", {}], ["a", {}], ["b", {}], ["a", {}]));
  const tail = await readTail(store, SESSION, ["a", "b"], 3);
  store.asked.length = 0;
  await tail.records({ session: SESSION, kinds: ["a"], order: "backward", limit: 2 });
  await tail.records({ session: SESSION, fromSeq: 4, toSeq: 4 });
  await tail.records({ session: SESSION, kinds: ["b"], fromSeq: 3 });
  expect(store.asked).toEqual([]);
  await tail.records({ session: SESSION, kinds: ["a"], order: "backward", limit: 10 });
  expect(store.asked).toEqual([{ session: SESSION, kinds: ["a"], order: "backward", toSeq: 2, limit: 8 }]);
});

test("D5: of a damaged row not even its number is sure: the store is asked", async () => {
  const [first, second] = journalOf(["a", {}], ["a", {}]);
  const store = storeOf([{ ...(first as StoredRecord) }, { ...(second as StoredRecord), isDamaged: true }]);
  expect(await readTail(store, SESSION, ["a"], 5)).toBe(store);
});

test("another session is asked of the store", async () => {
  const store = storeOf(journalOf(["a", {}]));
  const tail = await readTail(store, SESSION, ["a"], 5);
  expect(await tail.records({ session: "other" as SessionId, kinds: ["a"] })).toEqual([]);
});
