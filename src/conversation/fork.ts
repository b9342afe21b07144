/**
 * Forking: a new session whose journal begins as the parent's did, up to one of its records. The records are copied, with their
 * numbers and ids, in one change: every reader, export, check and salvage knows a copy as it knows any journal, what is
 * forgotten or deleted in one is none of the other's, and a kill leaves all of it or nothing (D2). Contents are not copied:
 * both name them.
 *
 * What is copied is the conversation. What binds a session to a workspace, to processes or to somebody's queue stays the
 * parent's: in its place a record says which kind was left out, so that numbers stay what they were (`superseded` names them).
 */
import { RefloatError } from "../model/errors.ts";
import { parseId, type SessionId } from "../model/ids.ts";
import type { JsonObject } from "../model/json.ts";
import { isOwnKindName } from "../model/own-kind.ts";
import type { Receipt } from "../model/parts.ts";
import { type NewRecord, openingsOf, type StoredRecord } from "../model/record.ts";
import { randomId } from "../platform/random.ts";
import { NO_DIRTY_ENDS } from "../session/escalation.ts";
import { newRecord } from "../session/new-record.ts";
import type { ContentRef, ImportChange } from "../store/contract/driver.ts";
import { encodeUnchecked } from "../store/contract/encode-record.ts";
import { refusalError } from "../store/refusal-error.ts";
import type { Store } from "../store/store.ts";
import { closeLeftOpen, type OpenThing } from "./close-left-open.ts";

export interface ForkOptions {
  /** The new session's id; left out: a new one. The same fork again under it is a no-op (D4). */
  readonly id?: string;
  /** Left out: it has none. Names find sessions, and the parent keeps its own. */
  readonly name?: string;
}

/** All of it is one change, in memory and in the store's lock: a longer journal is compacted first. */
const MAX_FORK_RECORDS = 100_000;
const MAX_FORK_BYTES = 256 * 1024 * 1024;

/** What makes a conversation what it is; kinds of a caller's own are copied, too. */
const COPIED: ReadonlySet<string> = new Set([
  "session.began",
  "turn.began",
  "turn.ended",
  "message.added",
  "message.opened",
  "message.grew",
  "message.ended",
  "call.started",
  "call.ended",
  "patched",
  "superseded",
  "decided",
  "forgotten",
]);
/** Copied where the input was taken or dropped by then: one that still waits is the parent's to answer. */
const OF_INPUTS: ReadonlySet<string> = new Set(["input.queued", "input.taken", "input.dropped"]);

type ForkRecord = ImportChange["records"][number];

/** Resolves when the new session is on disk, whole: `begin({ id })` goes on with it. */
export async function forkSession(
  store: Store,
  parent: SessionId,
  atSeq: number,
  { id: given, name = null }: Pick<ForkOptions, "id"> & { readonly name?: string | null },
): Promise<Receipt> {
  const id = parseId<SessionId>("session", given ?? randomId());
  const made = { id, seq: atSeq + 1 };
  const isMade = async (): Promise<boolean> => {
    const { forked_from, forked_at } = (await store.session(id))?.facts ?? {};
    return forked_from === parent && forked_at === atSeq;
  };
  if (await isMade()) return made;
  const originals = await readUpTo(store, parent, atSeq);
  const named = await contentsOf(store, parent, atSeq);
  const closed = closedInputs(originals);
  const copies = originals.map((original) => ({ ...original, ...copyOf(original, closed) }));
  const records: ForkRecord[] = [];
  for (const copy of copies) {
    const { attempt, isForgotten, seq } = copy;
    const refs = copy.kind === LEFT_OUT ? [] : (named.get(seq) ?? []);
    records.push({ ...(await encoded(store, copy, refs)), attempt, isForgotten });
  }
  const fact = newRecord(store.clock, "session.forked", { parent, at_seq: atSeq, name });
  for (const own of [fact, ...closings(store, copies)])
    records.push({ ...(await encoded(store, own, [])), attempt: null, isForgotten: false });
  assertBounded(records);
  const attempt = Math.max(0, ...originals.map((one) => one.attempt ?? 0));
  const outcome = await store.commitChange({ kind: "import", session: id, afterSeq: 0, attempt, records });
  if (outcome.kind === "refused" && !(await isMade()))
    throw refusalError({ session: id, expectHead: 0 }, outcome.refusal);
  return made;
}

/** What was open at that record goes on in the parent: here nobody sees its end (C4), and it is no dirty end (L2). */
function closings(store: Store, copies: readonly StoredRecord[]): NewRecord[] {
  const open = new Map<string, OpenThing>();
  for (const opened of copies) {
    const { opens, closes } = openingsOf(opened.kind, opened.body);
    if (closes) open.delete(`${closes.what} ${closes.id}`);
    if (opens) open.set(`${opens.what} ${opens.id}`, { row: { ...opens, seq: opened.seq }, opened });
  }
  return closeLeftOpen(store.clock, [...open.values()], { ...NO_DIRTY_ENDS, cause: "clean" }).records;
}

async function readUpTo(store: Store, session: SessionId, atSeq: number): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  const isWhole = Number.isSafeInteger(atSeq) && atSeq >= 1 && atSeq <= MAX_FORK_RECORDS;
  if (isWhole) for await (const record of store.journal(session, { toSeq: atSeq })) records.push(record);
  if (isWhole && records.length === atSeq) return records;
  throw new RefloatError("E_USAGE", {
    why: `A session is forked at one of its records, up to the ${MAX_FORK_RECORDS}th: ${atSeq} is none of ${session}.`,
  });
}

async function contentsOf(
  store: Store,
  session: SessionId,
  atSeq: number,
): Promise<Map<number, ContentRef[]>> {
  const named = new Map<number, ContentRef[]>();
  for (const { seq, hash, path } of await store.driver.readRefs(session, 1, atSeq))
    named.set(seq, [...(named.get(seq) ?? []), { hash, path }]);
  return named;
}

function closedInputs(records: readonly StoredRecord[]): ReadonlySet<unknown> {
  const closing = ["turn.began", "input.taken", "input.dropped"];
  return new Set(records.filter(({ kind }) => closing.includes(kind)).map(({ body }) => body.input));
}

const LEFT_OUT = "fork.left-out";

/** Whose item it does, whose gateway answers in it and who watched over it: with these a worker did the parent's item again. */
function ownBeginning({
  queue: _,
  item_seq: _seq,
  gateway: _gateway,
  supervised: _by,
  ...own
}: JsonObject): JsonObject {
  return own;
}

/** Pure. */
function copyOf(record: StoredRecord, closed: ReadonlySet<unknown>): NewRecord {
  const { id, kind, atMs, body, isDamaged } = record;
  const isInput = OF_INPUTS.has(kind) && closed.has(body.input);
  if (!isDamaged && (COPIED.has(kind) || isOwnKindName(kind) || isInput))
    return { id, kind, atMs, body: kind === "session.began" ? ownBeginning(body) : body };
  // Said unasked: of the message, not of who is owed it.
  if (!isDamaged && kind === "delivery.asked") {
    const said: JsonObject = { turn: null, role: "assistant", parts: body.parts ?? [] };
    return { id, kind: "message.added", atMs, body: said };
  }
  return { id, kind: LEFT_OUT, atMs, body: { kind } };
}

async function encoded(
  store: Store,
  record: NewRecord,
  refs: readonly ContentRef[],
): Promise<Awaited<ReturnType<Store["spill"]>>> {
  const raw = await store.spill(encodeUnchecked(record));
  // A large body is a content of its own, and among them already.
  const others = refs.filter(({ hash }) => !raw.contents.some((one) => one.hash === hash));
  return { ...raw, contents: [...raw.contents, ...others] };
}

function assertBounded(records: readonly ForkRecord[]): void {
  const bytes = records.reduce((sum, { body }) => sum + body.length, 0);
  if (bytes > MAX_FORK_BYTES)
    throw new RefloatError("E_TOO_LARGE", { what: "The fork", bytes, limit: MAX_FORK_BYTES });
}
