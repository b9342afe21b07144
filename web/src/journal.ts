/** A session's journal as far as it was looked at: pages of records by sequence number, and what they say together. */
import type { Json, JsonObject } from "../../src/model/json.ts";
import { ask } from "./api.ts";
import type { RecordsPage, ShownRecord } from "./told.ts";

export const PAGE_RECORDS = 100;
/** Pages that are asked for at once: a screen and what is around it. */
const MAX_LOADING = 6;

export interface Journal {
  readonly session: string;
  record(seq: number): ShownRecord | undefined;
  /** The result of a call, where it was read. */
  endOf(call: string): ShownRecord | undefined;
  hasEnded(message: string): boolean;
  /** All that was streamed of it, as far as it was read (C3). */
  streamed(message: string): StreamedMessage;
  add(record: ShownRecord): void;
  /** What is missing of these is asked for; resolves when it is there. */
  need(fromSeq: number, toSeq: number): Promise<boolean>;
}

export interface StreamedMessage {
  readonly text: string;
  /** Its beginning was read, so nothing of it is missing. */
  readonly isWhole: boolean;
  /** The record that grew it last. */
  readonly lastSeq: number;
}

interface Pieces {
  readonly texts: Map<number, string>;
  isBegun: boolean;
}

export function openJournal(session: string): Journal {
  const records = new Map<number, ShownRecord>();
  const ends = new Map<string, ShownRecord>();
  const endedMessages = new Set<string>();
  const streams = new Map<string, Pieces>();
  const asked = new Set<number>();
  let loading = 0;
  const add = (record: ShownRecord): void => {
    records.set(record.seq, record);
    const { call, message } = record.body;
    if (record.kind === "call.ended" && typeof call === "string") ends.set(call, record);
    if (typeof message !== "string") return;
    if (record.kind === "message.ended") endedMessages.add(message);
    const pieces = streams.get(message) ?? { texts: new Map<number, string>(), isBegun: false };
    streams.set(message, pieces);
    if (record.kind === "message.opened") pieces.isBegun = true;
    else pieces.texts.set(record.seq, partsText(record.body.parts, ""));
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
    streamed: (message) => {
      const { texts, isBegun } = streams.get(message) ?? { texts: new Map<number, string>(), isBegun: false };
      const seqs = [...texts.keys()].sort((a, b) => a - b);
      const text = seqs.map((seq) => texts.get(seq) ?? "").join("");
      return { text, isWhole: isBegun, lastSeq: seqs.at(-1) ?? 0 };
    },
    add,
    need: async (fromSeq, toSeq) => {
      const missing: number[] = [];
      for (let page = Math.floor((fromSeq - 1) / PAGE_RECORDS); page * PAGE_RECORDS < toSeq; page++) {
        const [first, last] = [page * PAGE_RECORDS + 1, Math.min(toSeq, (page + 1) * PAGE_RECORDS)];
        const isWhole = records.has(Math.max(first, fromSeq)) && records.has(last);
        if (!isWhole && !asked.has(page)) missing.push(page);
      }
      // Who pulls the bar from end to end passes more than can be read: what is in sight when some of it has come is asked for then.
      const now = missing.slice(0, Math.max(0, MAX_LOADING - loading));
      for (const page of now) asked.add(page);
      loading += now.length;
      try {
        await Promise.all(now.map(load));
      } catch (thrown) {
        for (const page of now) asked.delete(page);
        throw thrown;
      } finally {
        loading -= now.length;
      }
      return now.length > 0;
    },
  };
}

/** The texts of a message or a result; what is no text is named. */
export function partsText(parts: Json | undefined, between: string): string {
  if (!Array.isArray(parts)) return "";
  return (parts as readonly JsonObject[])
    .map((part) => (typeof part.text === "string" ? part.text : part.type === "media" ? "[media]" : ""))
    .filter((one) => one !== "")
    .join(between);
}
