/**
 * Takes what is new of a transcript into a session's journal, once, however often it is read: what was read and how far are one change
 * (D2, D4), and the next reading begins there, so its cost does not depend on how long the rest is.
 *
 * It is written while it is read, so that what is held is a piece and a change, however long the transcript is (T5). A kill in the middle
 * leaves whole changes: the next reader goes on behind the last of them. Of two readers at once the second finds its records there already
 * and writes nothing.
 */

import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { NewRecord } from "../../model/record.ts";
import type { Environment } from "../../platform/places.ts";
import { newRecord } from "../../session/new-record.ts";
import type { Store } from "../../store/store.ts";
import { copiedCount, isSaid } from "../transcript/copied-conversation.ts";
import { FILE_BEGIN } from "../transcript/ears.ts";
import { HeardFold, type TranscriptStatus } from "../transcript/fold-heard.ts";
import type { LinePlace } from "../transcript/line-splitter.ts";
import type { PieceReading } from "../transcript/piece-by-piece.ts";
import { lookAtHeard } from "../transcript/read-database.ts";
import { readingTranscript, readTranscript } from "../transcript/read-transcript.ts";
import type { AgentAdapter, FoundTranscript } from "../words/adapter.ts";
import type { Heard } from "../words/heard.ts";
import { HeardRecords, type HeardSource, heardId, nativeCall } from "./heard-records.ts";
import { planSoFar, standing } from "./read-so-far.ts";

/** Records of one change: far fewer than the store takes at once, so that one with long texts stays short. */
const RECORDS_AT_ONCE = 200;

/** Characters of what was heard after which a change is whole: a few long texts are one, too. */
const CHARS_AT_ONCE = 2 ** 22;

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
  /** The same folder below the workspace's top, where somebody looked. */
  readonly inside?: string;
  /** The same two of whoever began it: a subagent that works there is at the same place. */
  readonly parent?: { readonly cwd: string | undefined; readonly inside: string | undefined };
  /** It is a subagent's: what it says is told by whoever began it, its calls are the session's. */
  readonly isChild?: boolean;
  /** It goes on in a copy of this conversation of the same session: what that said is not told again (D4). */
  readonly copyOf?: Pick<FoundTranscript, "path" | "nativeId"> | undefined;
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
  const { before, open, known } = await standing(store, { session, source, adapter });
  const calls = open.flatMap(({ what, id }) => (what === "call" ? [id] : []));
  const turn = open.find(({ what }) => what === "turn")?.id ?? null;
  const writer = new HeardRecords(store.clock, source, {
    turns: order.turns,
    open: { turn, calls, known, seemsOver: before.status === "dirty-idle" },
  });
  const native = calls.flatMap((id) => nativeCall(source, id) ?? []);
  const fold = new HeardFold(
    before.status === null || remembers(adapter)
      ? undefined
      : { status: before.status, calls: native, plan: await planSoFar(store, session) },
  );
  const changes = new HeardChanges(fold);
  const isFirst = before.status === null;
  const copied = isFirst && order.copyOf ? copiedCount(adapter, order, order.copyOf) : before.copied;
  let next = before.next;
  // Where only what is new is read, the copied part is behind it by now.
  let left = isFirst || known !== null || remembers(adapter) ? copied : -1;
  const isCopied = (heard: Heard): boolean => copied > 0 && (isSaid(heard) ? left-- > 0 : left >= 0);
  const reading = function* (): PieceReading<void> {
    next = yield* readNew(order, before.next, (heard, at) => {
      changes.begin(at);
      fold.hear(heard);
      const told = order.isChild ? ofChild(heard, nativeId) : heard;
      if (isCopied(heard)) return;
      if (told === null || (known === null && at.byte < before.next.byte)) return;
      changes.add(writer.of(told, { place: String(at.byte), plan: fold.planById }), charsOf(told));
      if (at.byte >= before.next.byte && told.kind === "turn-ended") changes.said();
    });
  };
  let records = 0;
  const writeWhole = async (): Promise<void> => {
    for (const change of changes.whole()) {
      await write(store, { ...order, copied }, fold, change);
      records += change.records.length;
    }
  };
  for (const _piece of reading()) await writeWhole();
  if (order.isOver) changes.add(writer.close(), 0);
  // That the session goes on in a copy is known from its first reading on, whatever is new in it.
  changes.end(next, { isEmptyToo: isFirst && copied > 0 });
  await writeWhole();
  return { records, status: fold.status(false), fold };
}

interface HeardChange {
  readonly records: readonly NewRecord[];
  /** Where reading goes on behind it. */
  readonly next: LinePlace;
  readonly status: TranscriptStatus;
}

/** What was heard as changes, each of them written whole or not at all. One ends between two lines: a line is never taken in by halves. */
class HeardChanges {
  readonly #fold: HeardFold;
  #whole: HeardChange[] = [];
  #records: NewRecord[] = [];
  #chars = 0;
  #isSaid = false;
  #lastByte = -1;

  constructor(fold: HeardFold) {
    this.#fold = fold;
  }

  /** Before what stands at this place is heard. */
  begin(at: LinePlace): void {
    const isFull = this.#records.length >= RECORDS_AT_ONCE || this.#chars >= CHARS_AT_ONCE;
    if (isFull && at.byte !== this.#lastByte) this.end(at);
    this.#lastByte = at.byte;
  }

  add(records: readonly NewRecord[], chars: number): void {
    this.#records.push(...records);
    this.#chars += chars;
  }

  /** A turn's end is news (`hasNews`): that it was heard is written down also where no record came of it, or it would be news for ever. */
  said(): void {
    this.#isSaid = true;
  }

  end(next: LinePlace, { isEmptyToo = false } = {}): void {
    if (this.#records.length > 0 || this.#isSaid || isEmptyToo)
      this.#whole.push({ records: this.#records, next, status: this.#fold.status(false) });
    this.#records = [];
    this.#chars = 0;
    this.#isSaid = false;
  }

  /** Those that are whole by now, once. */
  whole(): readonly HeardChange[] {
    const whole = this.#whole;
    this.#whole = [];
    return whole;
  }
}

/** What may be long of it. */
function charsOf(heard: Heard): number {
  switch (heard.kind) {
    case "message":
      return sumOf(heard.parts.map((part) => part.text));
    case "call":
      return sumOf(Object.values(heard.input));
    case "result":
      return heard.output.length;
    default:
      return 0;
  }
}

const sumOf = (texts: readonly unknown[]): number =>
  texts.reduce((sum: number, text) => sum + (typeof text === "string" ? text.length : 0), 0);

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
  env: Environment,
): boolean {
  if (transcript.storage === "database")
    return (lookAtHeard(path, transcript, { nativeId, what: "last said", env }, lastSaid) ?? -1) >= byte;
  let count = 0;
  let isNew = false;
  const hear = (heard: Heard, at: LinePlace | null): void => {
    count += 1;
    const stands = at === null ? count - 1 : at.byte;
    isNew ||= stands >= byte && isToldNews(heard);
  };
  readTranscript({ path, nativeId }, transcript, { hear, damaged: () => undefined });
  return isNew;
}

/** Where the last that was said stands; -1: nothing was. */
function lastSaid(all: Iterable<Heard>): number {
  let [count, last] = [0, -1];
  for (const heard of all) {
    if (isToldNews(heard)) last = count;
    count += 1;
  }
  return last;
}

/** What the program says to its model by itself, and what a subagent says, is no record. */
const isToldNews = (heard: Heard): boolean =>
  SAID.has(heard.kind) && (heard.kind !== "message" || (heard.from !== "machinery" && heard.child === null));

const SAID: ReadonlySet<Heard["kind"]> = new Set([
  "message",
  "call",
  "result",
  "turn-ended",
  "plan",
  "child",
]);

/** Where there are no lines, what was heard is counted instead: a document and a database only grow at their end. */
function* readNew(
  { adapter: { transcript }, path, nativeId, isOver = false }: TakeInOrder,
  from: LinePlace,
  take: (heard: Heard, at: LinePlace) => void,
): PieceReading<LinePlace> {
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
  const to = yield* readingTranscript(
    { path, nativeId },
    transcript,
    { hear, damaged: () => undefined },
    begin,
  );
  return to?.next ?? { line: count + 1, byte: count };
}

async function write(
  store: Store,
  order: TakeInOrder & { readonly copied: number },
  fold: HeardFold,
  { records, next, status }: HeardChange,
): Promise<void> {
  const { session, attempt, adapter, nativeId, path, isChild, parent } = order;
  const cwd = order.cwd ?? fold.session?.cwd ?? null;
  const inside = order.inside ?? (parent?.cwd === cwd ? parent?.inside : undefined);
  const body = {
    agent: adapter.name,
    native_id: nativeId,
    path,
    cwd,
    ...(inside === undefined ? {} : { inside }),
    version: fold.version,
    next: { ...next },
    status,
    unknown_types: [...fold.unknownTypes.values()].reduce((sum, count) => sum + count, 0),
    ...(isChild ? { child: true } : {}),
    ...(order.copied > 0 ? { copied: order.copied } : {}),
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

const remembers = ({ transcript }: Pick<AgentAdapter, "transcript">): boolean =>
  transcript.storage === "lines" && transcript.remembers === true;
