/**
 * What the journal adds to a manifest for the next session: which inputs wait, what the last turn was asked, when the
 * session was last heard of, and what refloat has done about it. Read from the end, bounded (T5).
 */
import { isJsonObject, type Json } from "../model/json.ts";
import { agentReadUnder } from "../model/owner.ts";
import { isText, type Part } from "../model/parts.ts";
import { bodyAs, type StoredRecord } from "../model/record.ts";
import { factId } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { count, durationText } from "../text/counting.ts";
import type { BriefFacts } from "./brief-facts.ts";

export interface JournalFacts {
  readonly lastAt: string | null;
  /** What the newest turn answers; null: it went on by itself, or its text was forgotten. */
  readonly turnInput: string | null;
  readonly waiting: BriefFacts["waiting"];
  readonly done: BriefFacts["done"];
}

/** Of a session that nobody recorded. */
export const NO_JOURNAL: JournalFacts = { lastAt: null, turnInput: null, waiting: [], done: [] };

const DONE_KINDS = [
  "claim.taken",
  "agent.warned",
  "recovered",
  "leftovers.found",
  "leftovers.late",
  "session.suspended",
  "session.lifted",
  "forgotten",
] as const;
/** The newest of them; a session that was taken up more often has told its story before. */
const MAX_DONE = 20;
const MAX_WAITING = 20;

export async function journalFacts(store: Store, row: SessionRow): Promise<JournalFacts> {
  const session = row.id;
  const newest = { session, order: "backward" as const };
  const [turn] = await store.records({ ...newest, kinds: ["turn.began"], limit: 1 });
  const done = await store.records({ ...newest, kinds: DONE_KINDS, limit: MAX_DONE });
  const inputs = (await store.open(session)).filter(({ what }) => what === "input");
  const waiting: { from: string | null; text: string | null }[] = [];
  for (const { seq } of inputs.slice(0, MAX_WAITING)) {
    const [record] = await store.records({ session, fromSeq: seq, toSeq: seq });
    const body = record ? bodyAs(record, "input.queued") : null;
    waiting.push({ from: body?.from ?? null, text: body ? textOf(body.parts) : null });
  }
  return {
    lastAt: await lastHeardAt(store, row),
    turnInput: turn ? await inputOf(store, turn) : null,
    waiting,
    done: done.reverse().flatMap((record) => {
      const text = doneText(record);
      return text === null ? [] : [{ at: timeOf(record), text }];
    }),
  };
}

/** The last record of the session's own: what recovery wrote later says nothing of when it was last alive. */
export async function lastHeardAt(store: Store, row: SessionRow): Promise<string | null> {
  const newest = { session: row.id, order: "backward" as const, limit: 1 };
  const [recovered] = await store.records({ ...newest, kinds: ["recovered", "turn.began"] });
  const [taken] =
    recovered?.kind === "recovered"
      ? await store.records({ ...newest, kinds: ["claim.taken"], toSeq: recovered.seq })
      : [];
  const isRead = agentReadUnder((taken && bodyAs(taken, "claim.taken")?.owner.label) ?? null) !== null;
  const said = isRead ? await store.records({ ...newest, kinds: SAID, limit: LAST_SAID }) : [];
  const heard = said.find(({ body }) => body.heard === true);
  if (heard) return timeOf(heard);
  const toSeq = taken ? taken.seq - 1 : row.head;
  const [last] = toSeq < 1 ? [] : await store.records({ ...newest, toSeq });
  return last ? timeOf(last) : null;
}

const SAID = ["message.added", "call.started", "call.ended"] as const;
/** What recovery closed stands behind what was heard last: an agent has few calls open at once. */
const LAST_SAID = 50;

/** Given with the turn, or taken from the queue by it (C1). */
async function inputOf(store: Store, turn: StoredRecord): Promise<string | null> {
  const body = bodyAs(turn, "turn.began");
  if (!body) return null;
  if (body.input === null) return body.parts === null ? null : textOf(body.parts);
  const queued = await store.recordById(turn.session, factId("input", body.input) as StoredRecord["id"]);
  const given = queued ? bodyAs(queued, "input.queued") : null;
  return given ? textOf(given.parts) : null;
}

function doneText(record: StoredRecord): string | null {
  const { kind, body } = record;
  switch (kind) {
    case "claim.taken":
      return takenText(body.why, body.reason);
    case "agent.warned":
      return `told it ${durationText(Number(body.left_ms))} before its time was up`;
    case "recovered":
      return recoveredText(body.calls, body.turns);
    case "leftovers.found":
    case "leftovers.late":
      return leftoversText(body.processes);
    case "session.suspended":
      return `suspended it: ${String(body.reason)}`;
    case "session.lifted":
      return `lifted the suspension: ${String(body.reason)}`;
    case "forgotten":
      return `erased ${count(Number(body.records), "record")} by order`;
    default:
      return null;
  }
}

function takenText(why: Json | undefined, reason: Json | undefined): string | null {
  if (why === "dead") return "proved that the try before was dead";
  if (why === "lost") return "took it over: nothing was heard of the try before any more";
  if (why === "broken") return `took it over by order: ${String(reason ?? "")}`;
  return null;
}

function recoveredText(calls: Json | undefined, turns: Json | undefined): string {
  const settled = Array.isArray(calls) ? calls.length : 0;
  const interrupted = Array.isArray(turns) ? turns.length : 0;
  return `settled ${count(settled, "open call")} as outcome unknown and ${count(interrupted, "turn")} as interrupted`;
}

function leftoversText(processes: Json | undefined): string | null {
  const all = Array.isArray(processes) ? (processes as readonly Json[]).filter(isJsonObject) : [];
  const stopped = all.filter(({ outcome }) => outcome === "stopped");
  const left = all.filter(({ outcome }) => outcome === "left").length;
  if (stopped.length + left === 0) return null;
  const [first] = stopped;
  // Of an agent that wrote nothing down, this is all that tells what it was doing when it died.
  const which = first ? ` (first: ${beginningOf(String(first.command), COMMAND_CHARS)})` : "";
  return `stopped ${count(stopped.length, "process", "processes")} it left running${which}, left ${left} alone`;
}

/** Enough to know a command again. */
const COMMAND_CHARS = 160;

const beginningOf = (text: string, chars: number): string =>
  text.length > chars ? `${[...text.slice(0, chars)].slice(0, -1).join("")}…` : text;

function textOf(parts: readonly Part[]): string | null {
  const texts = parts.filter(isText).map(({ text }) => text);
  return texts.length > 0 ? texts.join("\n") : null;
}

const timeOf = ({ atMs }: StoredRecord): string => new Date(atMs).toISOString();
