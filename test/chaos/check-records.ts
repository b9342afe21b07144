/**
 * The journal against the ledger, record by record: every acknowledged one there, once, at its number, with
 * its body (D1, D4); numbers without gaps and in the order of the acknowledgements (D3); every change whole
 * or not at all; nothing there that nobody meant to write.
 */
import { createHash } from "node:crypto";
import type { SessionId } from "../../src/model/ids.ts";
import type { StoredRecord } from "../../src/model/record.ts";
import type { Store } from "../../src/store/store.ts";
import { callsOf, type Life, type Put, putsOf } from "./ledger.ts";

/** Records `forget` leaves as they are: the frame of the journal. */
const NEVER_FORGOTTEN = new Set(["claim.taken", "claim.released", "forgotten", "recovered", "rows.lost"]);

/** Why writer-script.mjs forgets. */
const REASON_OF_THE_SWEEP = "by the sweep";

export interface World {
  readonly session: string;
  readonly lives: Life[];
  /** Attempts the checker itself held: what was written under them is its own. */
  readonly survivors: Map<string, Set<number>>;
}

export const newWorld = (session: string): World => ({ session, lives: [], survivors: new Map() });

export function addSurvivor(world: World, session: string, attempt: number): void {
  world.survivors.set(session, (world.survivors.get(session) ?? new Set()).add(attempt));
}

export const hashOf = (data: string): string => createHash("sha256").update(data).digest("hex");

export async function journalOf(store: Store, session: string): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const record of store.journal(session as SessionId)) records.push(record);
  return records;
}

/** A server may still finish what a writer sent it before it died: read until nothing moves. */
async function quietJournalOf(
  store: Store,
  session: string,
): Promise<{ records: StoredRecord[]; head: number }> {
  const headNow = async () => (await store.session(session as SessionId))?.head ?? 0;
  for (;;) {
    const before = await headNow();
    const records = await journalOf(store, session);
    const head = await headNow();
    if (head === before) return { records, head };
  }
}

export async function checkRecords(store: Store, world: World): Promise<string[]> {
  const puts = world.lives.flatMap((life) => putsOf(life));
  const found: string[] = [];
  for (const session of new Set(puts.map((put) => put.session))) {
    const { records, head } = await quietJournalOf(store, session);
    const ofSession = puts.filter((put) => put.session === session);
    const byId = new Map(records.map((record) => [record.id as string, record]));
    const rest = wasForgetBrokenOff(world, session) ? notesOfTheRest(records, ofSession) : [];
    const said = [
      ...checkNumbers(records, head),
      ...checkIntended(records, ofSession, world.survivors.get(session) ?? new Set(), rest),
      ...ofSession.flatMap((put) => checkAcknowledged(put, byId)),
      ...checkWhole(ofSession, byId),
      ...checkForgotten(records, ofSession, rest),
    ];
    found.push(...said.map((what) => `${session}: ${what}`));
  }
  return found;
}

/** A `forget` that was begun and never acknowledged: its order may be written down, and then a survivor carries out the rest. */
const wasForgetBrokenOff = ({ lives }: World, session: string): boolean =>
  lives
    .flatMap((life) => callsOf(life))
    .some(({ op, about, ack }) => op === "forget" && about.session === session && ack === null);

/** What a survivor wrote about the rest: of that order, for its reason. */
function notesOfTheRest(records: readonly StoredRecord[], puts: readonly Put[]): StoredRecord[] {
  const said = new Set(puts.flatMap((put) => put.records.map(([id]) => id)));
  return records.filter(
    ({ id, kind, body }) => kind === "forgotten" && !said.has(id) && body.reason === REASON_OF_THE_SWEEP,
  );
}

function checkNumbers(records: readonly StoredRecord[], head: number): string[] {
  const found: string[] = [];
  const ids = new Set<string>();
  for (const [i, record] of records.entries()) {
    if (record.seq !== i + 1) found.push(`number ${record.seq} stands where ${i + 1} should`);
    if (ids.has(record.id)) found.push(`${record.id} is there twice`);
    if (record.isDamaged) found.push(`#${record.seq} ${record.kind} is damaged`);
    ids.add(record.id);
  }
  if (head !== records.length) found.push(`the head says ${head}, there are ${records.length} records`);
  return found;
}

function checkIntended(
  records: readonly StoredRecord[],
  puts: readonly Put[],
  survivors: ReadonlySet<number>,
  rest: readonly StoredRecord[],
): string[] {
  // One id may be meant twice: the end of a turn by its owner, and by whoever found the owner dead.
  const meant = new Map<string, Set<string>>();
  for (const [id, kind, hash] of puts.flatMap((put) => put.records))
    meant.set(id, (meant.get(id) ?? new Set()).add(`${kind} ${hash}`).add(kind));
  const found: string[] = [];
  for (const record of records) {
    if (record.attempt !== null && survivors.has(record.attempt)) continue;
    if (rest.includes(record)) continue;
    const wanted = record.isForgotten ? record.kind : `${record.kind} ${hashOf(JSON.stringify(record.body))}`;
    const intents = meant.get(record.id);
    if (!intents) found.push(`#${record.seq} ${record.kind} ${record.id}: nobody meant to write it`);
    else if (!intents.has(wanted))
      found.push(`#${record.seq} ${record.kind} ${record.id} has another body than was written`);
  }
  return found;
}

function checkAcknowledged(put: Put, byId: ReadonlyMap<string, StoredRecord>): string[] {
  if (!put.done) return [];
  const found: string[] = [];
  for (const [i, named] of put.records.entries()) {
    const [id, kind] = named;
    const record = writtenBy(named, byId);
    const seq = put.done.seqs?.[i];
    if (!record) found.push(`${kind} ${id} was acknowledged${seq ? ` as #${seq}` : ""} and is lost`);
    else if (seq !== undefined && record.seq !== seq)
      found.push(`${kind} ${id} was acknowledged as #${seq} and is #${record.seq}`);
    if (record && !put.done.isRepeat && record.seq <= put.floor)
      found.push(`${kind} ${id} is #${record.seq}, before #${put.floor} that was acknowledged earlier`);
  }
  return found;
}

/** A change is there whole, its records one after the other, or not at all. */
function checkWhole(puts: readonly Put[], byId: ReadonlyMap<string, StoredRecord>): string[] {
  const key = ([id, kind, hash]: Put["records"][number]) => `${id} ${kind} ${hash}`;
  const times = new Map<string, number>();
  for (const named of puts.flatMap((put) => put.records))
    times.set(key(named), (times.get(key(named)) ?? 0) + 1);
  const found: string[] = [];
  for (const { records } of puts) {
    const there = records.map((named) => writtenBy(named, byId));
    // Recoveries that died write the same settlement; what only this change holds tells that it happened.
    const isMade = records.some((named, i) => there[i] !== undefined && times.get(key(named)) === 1);
    const first = there[0]?.seq ?? 0;
    if (isMade && there.some((record, i) => record?.seq !== first + i))
      found.push(
        `a change of ${records.length} records is half there: ${records.map(([id]) => id).join(" ")}`,
      );
  }
  return found;
}

/** The record as this change wrote it: recovery may have written another one with its id. */
function writtenBy(
  [id, kind, hash]: Put["records"][number],
  byId: ReadonlyMap<string, StoredRecord>,
): StoredRecord | undefined {
  const record = byId.get(id);
  if (record?.kind !== kind) return undefined;
  return record.isForgotten || hashOf(JSON.stringify(record.body)) === hash ? record : undefined;
}

/** Either the note is there and everything it erased is erased, or neither; what a survivor erased of the rest, its notes count. */
function checkForgotten(
  records: readonly StoredRecord[],
  puts: readonly Put[],
  rest: readonly StoredRecord[],
): string[] {
  const bySeq = new Map(records.map((record) => [record.seq, record]));
  const ids = new Set(records.map((record) => record.id as string));
  const erased = new Set<number>();
  const found: string[] = [];
  for (const put of puts) {
    const isThere = put.records.every(([id]) => ids.has(id));
    if (put.how !== "forget" || !isThere) continue;
    for (const seq of put.erases) erased.add(seq);
  }
  for (const seq of erased)
    if (!bySeq.get(seq)?.isForgotten) found.push(`#${seq} was forgotten and is still there`);
  const byTheRest = new Set<number>();
  for (const record of records) {
    if (!record.isForgotten) continue;
    if (NEVER_FORGOTTEN.has(record.kind)) found.push(`#${record.seq} ${record.kind} must never be erased`);
    if (erased.has(record.seq)) continue;
    if (rest.some(({ seq }) => record.seq < seq)) byTheRest.add(record.seq);
    else found.push(`#${record.seq} ${record.kind} is erased without a record of it`);
  }
  const counted = rest.reduce((sum, { body }) => sum + Number(body.records), 0);
  if (counted !== byTheRest.size)
    found.push(`the rest of a forget erased ${byTheRest.size} records, and its notes count ${counted}`);
  return found;
}
