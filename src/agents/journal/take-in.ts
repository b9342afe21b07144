/**
 * Takes what is new of a transcript into a session's journal, once, however often it is read: what was read and how far are one change
 * (D2, D4), and the next reading begins there, so its cost does not depend on how long the rest is.
 *
 * A kill in the middle leaves whole changes: the next reader goes on behind the last of them. Of two readers at once the second finds
 * its records there already and writes nothing.
 */

import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import { bodyAs, type NewRecord, type StoredRecord } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import type { Store } from "../../store/store.ts";
import { FILE_BEGIN } from "../transcript/ears.ts";
import { HeardFold, statusFrom, type TranscriptStatus } from "../transcript/fold-heard.ts";
import type { LinePlace } from "../transcript/line-splitter.ts";
import { readTranscript } from "../transcript/read-transcript.ts";
import type { AgentAdapter } from "../words/adapter.ts";
import type { Heard, PlanItem } from "../words/heard.ts";
import { HeardRecords, type HeardSource, heardId, nativeCall } from "./heard-records.ts";

/** Records of one change: far fewer than the store takes at once, so that one with long texts stays short. */
const RECORDS_AT_ONCE = 200;

export interface TakeInOrder {
  readonly session: SessionId;
  /** The attempt that the records belong to. */
  readonly attempt: number;
  readonly adapter: AgentAdapter;
  readonly path: string;
  readonly nativeId: string;
  /** `source`: its turns are the transcript's. `session`: the session's own turn is open. */
  readonly turns: "source" | "session";
  /** The folder it was started in, where that is known; left out: as it says. */
  readonly cwd?: string;
  /** It is a subagent's: what it says is told by whoever began it, its calls are the session's. */
  readonly isChild?: boolean;
  /** Its agent is over: what is said by nothing more having come counts. */
  readonly isOver?: boolean;
}

export interface TakenIn {
  /** How many records are new. */
  readonly records: number;
  readonly status: TranscriptStatus;
  readonly fold: HeardFold;
}

/** Throws E_FENCED where somebody else has taken the session up meanwhile (K1). */
export async function takeIn(store: Store, order: TakeInOrder): Promise<TakenIn> {
  const { adapter, nativeId, session } = order;
  const source = { agent: adapter.name, nativeId };
  const before = await readSoFar(store, session, source);
  const open = await store.open(session);
  const calls = open.flatMap(({ what, id }) => (what === "call" ? [id] : []));
  const turn = open.find(({ what }) => what === "turn")?.id ?? null;
  const known = await knownIds(store, order);
  const writer = new HeardRecords(store.clock, source, {
    turns: order.turns,
    open: { turn, calls, known, seemsOver: before.status === "dirty-idle" },
  });
  const native = calls.flatMap((id) => nativeCall(source, id) ?? []);
  const isAnew = before.status === null || remembers(adapter);
  const fold = new HeardFold(
    isAnew || before.status === null
      ? undefined
      : { status: before.status, calls: native, plan: await planSoFar(store, session) },
  );
  const batches: HeardBatch[] = [];
  let records: NewRecord[] = [];
  let lastByte = -1;
  const close = (next: LinePlace): void => {
    if (records.length > 0) batches.push({ records, next, status: fold.status(false) });
    records = [];
  };
  const next = readNew(order, before.next, (heard, at) => {
    // A change ends between two lines: a line is taken in whole or not at all.
    if (records.length >= RECORDS_AT_ONCE && at.byte !== lastByte) close(at);
    lastByte = at.byte;
    fold.hear(heard);
    const told = order.isChild ? ofChild(heard, nativeId) : heard;
    if (told !== null && (known !== null || at.byte >= before.next.byte))
      records.push(...writer.of(told, { place: String(at.byte), plan: fold.planById }));
  });
  if (order.isOver) records.push(...writer.close());
  close(next);
  for (const batch of batches) await write(store, order, fold, batch);
  return { records: batches.flatMap((batch) => batch.records).length, status: fold.status(false), fold };
}

/** The same for what came by a stream and is in no transcript (calls, results, half an answer), so there is no place to go on from. */
export async function takeHeard(
  store: Store,
  { session, attempt, source }: Pick<TakeInOrder, "session" | "attempt"> & { readonly source: HeardSource },
  heard: readonly Heard[],
): Promise<void> {
  const open = await store.open(session);
  const turn = open.find(({ what }) => what === "turn")?.id ?? null;
  if (turn === null) return;
  const calls = open.flatMap(({ what, id }) => (what === "call" ? [id] : []));
  const writer = new HeardRecords(store.clock, source, { turns: "session", open: { turn, calls } });
  const records = heard.flatMap((one) => writer.of(one, { place: "stream", plan: new Map() }));
  for (let at = 0; at < records.length; at += RECORDS_AT_ONCE)
    await store.append(session, { attempt }, records.slice(at, at + RECORDS_AT_ONCE));
}

/** Of a subagent's transcript only its calls and their results are the session's; null: the rest. */
function ofChild(heard: Heard, child: string): Heard | null {
  if (heard.kind === "call") return { ...heard, child };
  return heard.kind === "result" ? heard : null;
}

/** Whether anything is said behind `byte`, where an earlier reading ended: notes of an agent's own machinery are no news. */
export function hasNews(
  { adapter: { transcript }, path, nativeId }: Pick<TakeInOrder, "adapter" | "path" | "nativeId">,
  byte: number,
): boolean {
  let count = 0;
  let isNew = false;
  const hear = (heard: Heard, at: LinePlace | null): void => {
    count += 1;
    const stands = at === null ? count - 1 : at.byte;
    isNew ||= stands >= byte && SAID.has(heard.kind);
  };
  readTranscript({ path, nativeId }, transcript, { hear, damaged: () => undefined });
  return isNew;
}

const SAID: ReadonlySet<Heard["kind"]> = new Set([
  "message",
  "call",
  "result",
  "turn-ended",
  "plan",
  "child",
]);

interface HeardBatch {
  readonly records: readonly NewRecord[];
  readonly next: LinePlace;
  readonly status: TranscriptStatus;
}

/** Where there are no lines, what was heard is counted instead: a document and a database only grow at their end. */
function readNew(
  { adapter: { transcript }, path, nativeId, isOver = false }: TakeInOrder,
  from: LinePlace,
  take: (heard: Heard, at: LinePlace) => void,
): LinePlace {
  let count = 0;
  let last = from;
  const hear = (heard: Heard, at: LinePlace | null): void => {
    count += 1;
    last = at ?? last;
    const isLines = transcript.storage === "lines";
    // What a file of lines says by its end stands where that is, and is so only when nothing more can come.
    if (!isLines) take(heard, { line: count, byte: count - 1 });
    else if (at !== null || isOver) take(heard, last);
  };
  const begin = remembers({ transcript }) ? FILE_BEGIN : from;
  const to = readTranscript({ path, nativeId }, transcript, { hear, damaged: () => undefined }, begin);
  return to?.next ?? { line: count + 1, byte: count };
}

async function write(
  store: Store,
  order: TakeInOrder,
  fold: HeardFold,
  { records, next, status }: HeardBatch,
): Promise<void> {
  const { session, attempt, adapter, nativeId, path, isChild } = order;
  const body = {
    agent: adapter.name,
    native_id: nativeId,
    path,
    cwd: order.cwd ?? fold.session?.cwd ?? null,
    version: fold.version,
    next: { ...next },
    status,
    unknown_types: [...fold.unknownTypes.values()].reduce((sum, count) => sum + count, 0),
    ...(isChild ? { child: true } : {}),
  };
  const id = heardId({ agent: adapter.name, nativeId }, "read", String(next.byte));
  const cursor = newRecord(store.clock, "agent.heard", body, id);
  try {
    await store.append(session, { attempt }, [...records, cursor]);
  } catch (thrown) {
    if (!isRefused(thrown)) throw thrown;
    await writeOneByOne(store, order, [...records, cursor]);
  }
}

/** An id a second time with other words, a result of what is not open: a record the store will never take costs itself, not the rest. */
async function writeOneByOne(
  store: Store,
  { session, attempt }: TakeInOrder,
  records: readonly NewRecord[],
): Promise<void> {
  for (const record of records)
    await store.append(session, { attempt }, [record]).catch((thrown: unknown) => {
      if (!isRefused(thrown)) throw thrown;
    });
}

const REFUSED: ReadonlySet<string> = new Set(
  "E_ID_REUSED E_NOT_OPEN E_ALREADY_OPEN E_BAD_ID E_BAD_RECORD E_NOT_JSON E_TOO_DEEP E_TOO_LARGE E_TURN_OPEN".split(
    " ",
  ),
);
const isRefused = (thrown: unknown): boolean => thrown instanceof RefloatError && REFUSED.has(thrown.code);

interface ReadSoFar {
  /** Where the last reading ended; the beginning where nobody has read it. */
  readonly next: LinePlace;
  readonly status: TranscriptStatus | null;
}

async function readSoFar(store: Store, session: SessionId, source: HeardSource): Promise<ReadSoFar> {
  const newest = await store.records({ session, kinds: ["agent.heard"], order: "backward", limit: SOURCES });
  const last = newest.find(({ body }) => body.agent === source.agent && body.native_id === source.nativeId);
  const next = placeOf(last);
  if (!last || next === null) return { next: FILE_BEGIN, status: null };
  return { next, status: statusFrom(last.body.status) };
}

/** Of a document or a database everything is read each time: what is there already is told by its id (D4). */
async function knownIds(
  store: Store,
  { session, adapter }: TakeInOrder,
): Promise<ReadonlySet<string> | null> {
  if (adapter.transcript.storage === "lines") return null;
  const known = new Set<string>();
  for await (const { id } of store.journal(session, { kinds: KNOWN_KINDS })) known.add(id);
  return known;
}

const KNOWN_KINDS = ["message.added", "call.started", "turn.began", "turn.ended", "agent.planned"] as const;

const remembers = ({ transcript }: Pick<AgentAdapter, "transcript">): boolean =>
  transcript.storage === "lines" && transcript.remembers === true;

async function planSoFar(store: Store, session: SessionId): Promise<(readonly [string, PlanItem])[]> {
  const [last] = await store.records({ session, kinds: ["agent.planned"], order: "backward", limit: 1 });
  const items = (last && bodyAs(last, "agent.planned")?.items) ?? [];
  return items.map(({ id, text, state }, at) => [id ?? String(at), { text, state }] as const);
}

/** Transcripts of one session: its own, and those of its subagents. */
const SOURCES = 100;

function placeOf(record: StoredRecord | undefined): LinePlace | null {
  const next = record?.body.next;
  if (!isJsonObject(next)) return null;
  const { line, byte } = next;
  return typeof line === "number" && typeof byte === "number" ? { line, byte } : null;
}
