/** The checker of the gateway's chaos: what must hold of receipts, journals and what arrived. Empty: all of it does. */
import type { RecordId, SessionId } from "../../src/model/ids.ts";
import type { StoredRecord } from "../../src/model/record.ts";
import { livenessOf } from "../../src/platform/liveness.ts";
import type { SessionRow } from "../../src/store/contract/driver.ts";
import type { Delivered } from "./chat-process.ts";
import type { JournalReader } from "./journal-reader.ts";

export interface Receipt {
  readonly session: string;
  readonly id: string;
  readonly seq: number;
}

/** T1: what a receipt says is on disk, at that very place. */
export async function checkReceipts(reader: JournalReader, receipts: readonly Receipt[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { session, id, seq } of receipts) {
    const record = await reader.store.recordById(session as SessionId, `input:${id}` as RecordId);
    if (record?.seq !== seq)
      wrong.push(`receipt of ${id} says ${seq}, the journal ${record?.seq ?? "nothing"}`);
  }
  return wrong;
}

/** One conversation after everything has come to rest. */
export async function checkConversation(
  reader: JournalReader,
  session: string,
  delivered: readonly Delivered[],
): Promise<string[]> {
  const records = await reader.records(session);
  const row = await reader.store.session(session as SessionId);
  const wrong = [...checkAnswers(records, delivered), ...checkOrder(records, delivered)];
  if (records.filter(({ kind }) => kind === "session.began").length !== 1) wrong.push("it was reset");
  if (records[0]?.seq !== 1 || records.length !== row?.head) wrong.push("records are missing");
  if (isHeld(row)) wrong.push("it is still claimed");
  for (const { what, id } of await reader.store.open(session as SessionId))
    wrong.push(`stuck: ${what} ${id}`);
  if (!(await reader.isOneAtATime(session))) wrong.push("two turns at a time");
  return wrong.map((line) => `${session}: ${line}`);
}

/** A dead owner's claim is free (K2): whoever comes next takes it. */
export const isHeld = (row: SessionRow | null): boolean =>
  row?.claim.owner != null && livenessOf(row.claim.owner).kind !== "dead";

/** Every input, answered once; again only with the words that it may be a duplicate, and only after a send had begun. */
function checkAnswers(records: readonly StoredRecord[], delivered: readonly Delivered[]): string[] {
  const wrong: string[] = [];
  for (const { body } of records.filter(({ kind }) => kind === "input.queued")) {
    const answers = delivered.filter(({ input }) => input === body.input);
    const plain = answers.filter(({ mayBeDuplicate }) => !mayBeDuplicate).length;
    if (answers.length === 0) wrong.push(`${body.input} was never answered`);
    if (plain > 1) wrong.push(`${body.input} was answered ${plain} times without a word`);
    if (plain === 0 && !hasEarlierSend(records, String(body.input)))
      wrong.push(`${body.input} was called a duplicate for no reason`);
  }
  return wrong;
}

function hasEarlierSend(records: readonly StoredRecord[], input: string): boolean {
  const owed = records.find(({ kind, body }) => kind === "delivery.owed" && body.input === input);
  const sends = records.filter(
    ({ kind, body }) => kind === "delivery.attempted" && body.delivery === owed?.body.delivery,
  );
  return sends.length > 1;
}

/** First arrivals are in the order of the inputs (D3). */
function checkOrder(records: readonly StoredRecord[], delivered: readonly Delivered[]): string[] {
  const asked = records.filter(({ kind }) => kind === "input.queued").map(({ body }) => body.input);
  const arrived = [...new Set(delivered.map(({ input }) => input))];
  return arrived.every((input, i) => input === asked[i]) ? [] : [`asked ${asked}, answered ${arrived}`];
}
