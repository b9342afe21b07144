/** Where an earlier reading of a transcript ended, as the session's journal has it: how far, and what was open there. */
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import { bodyAs, type StoredRecord } from "../../model/record.ts";
import type { OpenRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { FILE_BEGIN } from "../transcript/ears.ts";
import { statusFrom, type TranscriptStatus } from "../transcript/fold-heard.ts";
import type { LinePlace } from "../transcript/line-splitter.ts";
import type { AgentAdapter } from "../words/adapter.ts";
import type { PlanItem } from "../words/heard.ts";
import type { HeardSource } from "./heard-records.ts";

interface ReadSoFar {
  /** Where the last reading ended; the beginning where nobody has read it. */
  readonly next: LinePlace;
  readonly status: TranscriptStatus | null;
  /** The record that says so; null: there is none. */
  readonly seq: number | null;
  /** Messages and calls at its beginning that are another conversation's. */
  readonly copied: number;
}

export interface Standing {
  readonly before: ReadSoFar;
  readonly open: readonly OpenRow[];
  /** Of a document or a database everything is read each time: what is there already is told by its id (D4). Null: only what is new is read. */
  readonly known: ReadonlySet<string> | null;
}

interface Asked {
  readonly session: SessionId;
  readonly source: HeardSource;
  readonly adapter: AgentAdapter;
}

/**
 * How far it was read and what was open there belong together, and a reader writes both in one change (D2). They are asked for one after
 * the other, so another reader may have written in between: then they are asked for anew. What was open later would end the turn of what
 * is read again.
 */
export async function standing(store: Store, asked: Asked): Promise<Standing> {
  for (;;) {
    const before = await readSoFar(store, asked);
    const open = await store.open(asked.session);
    const known = await knownIds(store, asked);
    if ((await readSoFar(store, asked)).seq === before.seq) return { before, open, known };
  }
}

export async function readSoFar(
  store: Store,
  { session, source }: Pick<Asked, "session" | "source">,
): Promise<ReadSoFar> {
  const newest = await store.records({ session, kinds: ["agent.heard"], order: "backward", limit: SOURCES });
  const last = newest.find(({ body }) => body.agent === source.agent && body.native_id === source.nativeId);
  const next = placeOf(last);
  if (!last || next === null) return { next: FILE_BEGIN, status: null, seq: last?.seq ?? null, copied: 0 };
  const copied = bodyAs(last, "agent.heard")?.copied ?? 0;
  return { next, status: statusFrom(last.body.status), seq: last.seq, copied };
}

async function knownIds(store: Store, { session, adapter }: Asked): Promise<ReadonlySet<string> | null> {
  if (adapter.transcript.storage === "lines") return null;
  const known = new Set<string>();
  for await (const { id } of store.journal(session, { kinds: KNOWN_KINDS })) known.add(id);
  return known;
}

const KNOWN_KINDS = ["message.added", "call.started", "turn.began", "turn.ended", "agent.planned"] as const;

export async function planSoFar(store: Store, session: SessionId): Promise<(readonly [string, PlanItem])[]> {
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
