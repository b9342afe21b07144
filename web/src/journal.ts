/** A session's journal as far as it was looked at: pages of records by sequence number, and what they say together. */
import { ask } from "./api.ts";
import type { RecordsPage, ShownRecord } from "./told.ts";

export const PAGE_RECORDS = 100;

export interface Journal {
  readonly session: string;
  record(seq: number): ShownRecord | undefined;
  /** The result of a call, where it was read. */
  endOf(call: string): ShownRecord | undefined;
  hasEnded(message: string): boolean;
  add(record: ShownRecord): void;
  /** What is missing of these is asked for; resolves when it is there. */
  need(fromSeq: number, toSeq: number): Promise<boolean>;
}

export function openJournal(session: string): Journal {
  const records = new Map<number, ShownRecord>();
  const ends = new Map<string, ShownRecord>();
  const endedMessages = new Set<string>();
  const asked = new Set<number>();
  const add = (record: ShownRecord): void => {
    records.set(record.seq, record);
    const { call, message } = record.body;
    if (record.kind === "call.ended" && typeof call === "string") ends.set(call, record);
    if (record.kind === "message.ended" && typeof message === "string") endedMessages.add(message);
  };
  const load = async (page: number): Promise<void> => {
    const from = page * PAGE_RECORDS + 1;
    const found = await ask<RecordsPage>(`/api/sessions/${encodeURIComponent(session)}/records`, {
      from,
      limit: PAGE_RECORDS,
    });
    for (const one of found.records) add(one);
    // The last page is not whole yet: it is asked for again when more was written.
    if (found.records.length < PAGE_RECORDS) asked.delete(page);
  };
  return {
    session,
    record: (seq) => records.get(seq),
    endOf: (call) => ends.get(call),
    hasEnded: (message) => endedMessages.has(message),
    add,
    need: async (fromSeq, toSeq) => {
      const missing: number[] = [];
      for (let page = Math.floor((fromSeq - 1) / PAGE_RECORDS); page * PAGE_RECORDS < toSeq; page++) {
        const [first, last] = [page * PAGE_RECORDS + 1, Math.min(toSeq, (page + 1) * PAGE_RECORDS)];
        const isWhole = records.has(Math.max(first, fromSeq)) && records.has(last);
        if (!isWhole && !asked.has(page)) missing.push(page);
      }
      for (const page of missing) asked.add(page);
      await Promise.all(missing.map(load));
      return missing.length > 0;
    },
  };
}
