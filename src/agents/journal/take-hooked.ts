/**
 * Takes what hooks told, and a dead agent's transcript lacks, into the journal: the records that its events left there
 * (`agent.observed`) are read back from where the last attempt ended. Whoever calls it has read the transcript to its end before.
 */
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { Store } from "../../store/store.ts";
import type { TranscriptStatus } from "../transcript/fold-heard.ts";
import type { Heard } from "../words/heard.ts";
import { HeardRecords, type HeardSource, nativeCall } from "./heard-records.ts";
import { besideJournal, type JournalCall, type JournalSoFar } from "./hooked-beside.ts";
import { HookedWork } from "./hooked-work.ts";

/** Events of one attempt that are read back: days of a busy agent. More are history by then (T5). */
const MAX_EVENTS = 20_000;

/** What its hooks told since the session was last given back. `nativeId`: null: of whichever conversation they told. */
export async function hookedWork(
  store: Store,
  session: SessionId,
  { agent, nativeId }: { readonly agent: string; readonly nativeId: string | null },
): Promise<HookedWork> {
  const since = await lastRelease(store, session);
  const work = new HookedWork(since);
  let count = 0;
  let calledBy: string | null = null;
  for await (const { body, atMs } of observedSince(store, session, since)) {
    if (body.agent !== agent || (nativeId !== null && body.native_id !== nativeId)) continue;
    const told = heardIn(body.heard);
    const by = body.other_process === true ? null : processIn(body.process);
    if (by !== null && calledBy !== null && by !== calledBy) work.cut();
    calledBy = by ?? calledBy;
    for (const heard of body.other_process === true ? told.filter(isNoEnd) : told) work.hear(heard, atMs);
    count += 1;
    if (count >= MAX_EVENTS) break;
  }
  return work;
}

/** The agent's own id of what its hooks told first since then: what is begun below it comes later. Null: they told nothing. */
export async function hookedConversation(
  store: Store,
  session: SessionId,
  agent: string,
): Promise<string | null> {
  for await (const { body } of observedSince(store, session, await lastRelease(store, session)))
    if (body.agent === agent && body.child == null && typeof body.native_id === "string")
      return body.native_id;
  return null;
}

/** 0: it never was given back. */
async function lastRelease(store: Store, session: SessionId): Promise<number> {
  const last = { session, kinds: ["claim.released"], order: "backward", limit: 1 } as const;
  return (await store.records(last))[0]?.seq ?? 0;
}

const observedSince = (store: Store, session: SessionId, seq: number): AsyncIterable<StoredRecord> =>
  store.journal(session, { fromSeq: seq + 1, kinds: ["agent.observed"] });

/** Null: the event does not tell. */
const processIn = (told: Json | undefined): string | null =>
  isJsonObject(told) ? `${told.boot} ${told.pid} ${told.started}` : null;

/** Of a process that the session does not live in: what it began may have happened, what it ended has not (K1). */
const isNoEnd = ({ kind }: Heard): boolean => kind !== "turn-ended" && kind !== "ended" && kind !== "result";

/** Written by us and erased by `forget`, perhaps by a newer refloat: what has no kind is passed over (D5). */
const heardIn = (value: Json | undefined): readonly Heard[] =>
  (Array.isArray(value) ? (value as readonly Json[]) : []).flatMap((one) =>
    isJsonObject(one) && typeof one.kind === "string" ? [one as unknown as Heard] : [],
  );

export interface TakeHookedOrder {
  readonly session: SessionId;
  readonly attempt: number;
  readonly source: HeardSource;
  /** As in TakeInOrder. */
  readonly turns: "source" | "session";
}

export interface TakenHooked {
  readonly records: number;
  /** How its hooks say that it stands, where they say more than its transcript; null: they do not. */
  readonly status: Extract<TranscriptStatus, "ended-clean" | "cancelled-by-user" | "dirty-in-tool"> | null;
}

export async function takeHooked(
  store: Store,
  order: TakeHookedOrder,
  work: HookedWork,
): Promise<TakenHooked> {
  const { session, attempt, source, turns } = order;
  const journal = await journalSoFar(store, session, source, work.since);
  const { heard, end } = besideJournal(work, journal);
  const open = { turn: journal.turn, calls: journal.openCalls };
  const writer = new HeardRecords(store.clock, source, { turns, open });
  const told: readonly Heard[] =
    end === null
      ? heard
      : [...heard, { kind: "turn-ended", outcome: end.outcome, proof: "record", at: end.at }];
  const records = told.flatMap((one) => writer.of(one, { place: "hooks", plan: new Map() }));
  for (let at = 0; at < records.length; at += READ_PAGE_ROWS)
    await store.append(session, { attempt }, records.slice(at, at + READ_PAGE_ROWS));
  return { records: records.length, status: statusOf(work, end?.outcome ?? null) };
}

function statusOf(work: HookedWork, outcome: string | null): TakenHooked["status"] {
  if (outcome === "completed") return "ended-clean";
  if (outcome === "cancelled") return "cancelled-by-user";
  return work.isInCall ? "dirty-in-tool" : null;
}

interface JournalNow extends JournalSoFar {
  /** By the journal's ids. */
  readonly openCalls: readonly string[];
}

const KINDS = ["message.added", "call.started"] as const;

async function journalSoFar(
  store: Store,
  session: SessionId,
  source: HeardSource,
  since: number,
): Promise<JournalNow> {
  const open = await store.open(session);
  const openCalls = open.flatMap(({ what, id }) => (what === "call" ? [id] : []));
  const turn = open.find(({ what }) => what === "turn")?.id ?? null;
  const page = { session, kinds: KINDS, order: "backward", limit: READ_PAGE_ROWS } as const;
  const newest = (await store.records(page)).toReversed();
  const said = newest.filter(({ kind, seq }) => kind === "message.added" && seq > since);
  const answers = said.filter(({ body }) => body.role === "assistant" && body.turn === turn);
  return {
    turn,
    openCalls,
    calls: newest.flatMap((record) =>
      callIn(record, source).map((call) => ({
        ...call,
        isOpen: openCalls.includes(String(record.body.call)),
        isNow: record.seq > since,
      })),
    ),
    prompts: said.flatMap(({ body }) =>
      body.role === "user" ? [{ turn: String(body.turn), text: textIn(body.parts) }] : [],
    ),
    answer: answers.length === 0 ? null : textIn(answers.at(-1)?.body.parts),
  };
}

function callIn(
  { kind, body }: StoredRecord,
  source: HeardSource,
): readonly Omit<JournalCall, "isOpen" | "isNow">[] {
  const id = kind === "call.started" ? nativeCall(source, String(body.call)) : null;
  if (id === null) return [];
  const input = (body.input ?? {}) as Json;
  return [{ id, tool: String(body.tool), input, turn: String(body.turn), isOwn: body.child === undefined }];
}

const textIn = (parts: Json | undefined): string =>
  (Array.isArray(parts) ? (parts as readonly Json[]) : [])
    .flatMap((part) =>
      isJsonObject(part) && typeof part.text === "string" && part.type === "text" ? [part.text] : [],
    )
    .join("\n");
