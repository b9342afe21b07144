/**
 * What each acknowledged call of the library promised, read back from the journal: one rule per operation of
 * the writer's script. The ledger's `put` lines are not used here, so that a library which acknowledges
 * before it hands anything to the store is found out too.
 */
import { existsSync } from "node:fs";
import type { ContentHash } from "../../src/model/ids.ts";
import type { StoredRecord } from "../../src/model/record.ts";
import { checkStore } from "../../src/store/check.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import type { Store } from "../../src/store/store.ts";
import { hashOf, journalOf, type World } from "./check-records.ts";
import { type Called, callsOf, type Facts } from "./ledger.ts";

/** The same text as in writer-script.mjs. */
function textOf(token: string, chars: number): string {
  const pattern = `${token} \u{1f6a2}ö `;
  return pattern.repeat(Math.ceil(chars / pattern.length)).slice(0, chars);
}

/** The main session's journal, by id and by stream. */
interface Journal {
  readonly records: readonly StoredRecord[];
  byId(id: string): StoredRecord | undefined;
}

type Rule = (journal: Journal, about: Facts, got: Facts) => boolean;

const RULES: Readonly<Record<string, Rule>> = {
  begin: (journal, _about, got) =>
    journal.records.some(({ kind, body }) => kind === "claim.taken" && body.attempt === got.attempt),
  enqueue: (journal, about, got) => journal.byId(`input:${about.input}`)?.seq === got.seq,
  "turn.queued": (journal, about, got) => journal.byId(`turn:${got.turn}`)?.body.input === about.input,
  "turn.direct": (journal, about, got) => holdsText(journal.byId(`turn:${got.turn}`), about.token, 60),
  "turn.continue": (journal, _about, got) => journal.byId(`turn:${got.turn}`)?.body.input === null,
  "turn.take": (journal, about) => journal.byId(`taken:${about.input}`)?.body.turn === about.turn,
  "turn.cancelFor": (journal, about, got) => {
    const ended = journal.byId(`turn-end:${about.cancelled}`);
    const began = journal.byId(`turn:${got.turn}`);
    const isNext = ended !== undefined && began?.seq === ended.seq + 1;
    const isCancelled = isNext && ended.body.outcome === "cancelled" && isCutOff(journal, about.stream);
    return isCancelled && began.body.input === about.input;
  },
  "turn.end": (journal, about) =>
    journal.byId(`turn-end:${about.turn}`)?.body.outcome === about.outcome && isCutOff(journal, about.stream),
  "message.add": (journal, about, got) => {
    const record = journal.byId(String(about.id));
    return record?.seq === got.seq && holdsText(record, about.token, about.chars);
  },
  "stream.flush": (journal, about) => {
    const text = streamedText(journal, about.message);
    const isPrefix = text === textOf(String(about.token), text.length);
    return isPrefix && text.length >= Number(about.chars);
  },
  "stream.end": (journal, about) => {
    const ended = journal.byId(`message-end:${about.message}`);
    const isWhole = streamedText(journal, about.message) === textOf(String(about.token), Number(about.chars));
    return ended?.body.state === about.state && isWhole;
  },
  "call.start": (journal, about) => journal.byId(`call:${about.call}`)?.body.tool === about.tool,
  "call.end": (journal, about) => {
    if (about.isLate) return isKeptLate(journal, about);
    const { status, output, synthetic } = journal.byId(`result:${about.call}`)?.body ?? {};
    return status === about.status && synthetic === false && hashOf(String(output)) === about.output;
  },
  patch: (journal, about) =>
    journal.records.some(
      ({ kind, body }) =>
        kind === "patched" && body.record === about.record && seenIn(body.metadata) === about.token,
    ),
  supersede: (journal, about, got) => {
    const record = journal.records[Number(got.seq) - 1];
    return record?.kind === "superseded" && record.body.from_seq === about.fromSeq;
  },
  decide: (journal, about) =>
    journal.records.some(
      ({ kind, body }) =>
        kind === "decided" && body.key === about.key && (body.value as Facts)?.chosen === about.token,
    ),
  "operation.begin": (journal, about, got) =>
    journal.byId(`operation:${got.operation}`)?.body.label === about.label,
  "operation.end": (journal, about) =>
    journal.byId(`operation-end:${about.operation}`)?.body.aborted === about.aborted,
  "content.name": (journal, about) => journal.byId(String(about.id)) !== undefined,
};

/** Looked at elsewhere: below, or record by record (check-records.ts). */
const OTHERS = new Set([
  "open",
  "close",
  "release",
  "content.put",
  "gc",
  "side.write",
  "forget",
  "backup",
  "import",
]);

export async function checkCalls(store: Store, world: World): Promise<string[]> {
  const records = await journalOf(store, world.session);
  const index = new Map(records.map((record) => [record.id as string, record]));
  const journal = { records, byId: (id: string) => index.get(id) };
  const calls = world.lives.flatMap((life) => callsOf(life));
  const found: string[] = [];
  for (const { op, about, ack } of calls) {
    const rule = RULES[op];
    if (!rule && !OTHERS.has(op)) found.push(`no rule for the operation ${op}`);
    if (rule && ack && !rule(journal, about, ack.got))
      found.push(`${op} was acknowledged and is not true: ${JSON.stringify({ ...about, ...ack.got })}`);
  }
  return [...found, ...(await checkContents(store, calls)), ...(await checkImports(store, calls))];
}

/** A content stays while a record names it, or until somebody collects what is not named. */
async function checkContents(store: Store, calls: readonly Called[]): Promise<string[]> {
  const kept = new Set<string>();
  const named = new Set<string>();
  for (const { op, about, ack } of calls) {
    if (op === "gc" || op === "forget") kept.clear();
    if (op === "content.put" && ack) kept.add(String(about.hash));
    if (op === "content.name" && ack) named.add(String(about.hash));
  }
  const found: string[] = [];
  for (const hash of new Set([...kept, ...named]))
    if (!(await store.driver.readContent(hash as ContentHash))) found.push(`the content ${hash} is lost`);
  return found;
}

async function checkImports(store: Store, calls: readonly Called[]): Promise<string[]> {
  const acked = calls
    .filter(({ op, ack }) => op === "import" && ack)
    .map(({ about }) => Number(about.records));
  const records = await journalOf(store, "imported");
  const wrong = records.filter(({ seq, id, body }) => id !== `r${seq}` || body.value !== seq);
  const found = wrong.map(({ seq }) => `imported #${seq} is not what was imported`);
  if (records.length < Math.max(0, ...acked)) found.push(`an import was acknowledged and is not whole`);
  return found;
}

/** Every backup that was acknowledged opens and is sound; one that was not may be missing, never half there. */
export async function checkBackups(world: World): Promise<string[]> {
  const found: string[] = [];
  const last = world.lives.at(-1);
  for (const { op, about, ack } of last ? callsOf(last) : []) {
    const path = String(about.path);
    if (op !== "backup") continue;
    if (!existsSync(path)) {
      if (ack) found.push(`the backup ${path} was acknowledged and is not there`);
      continue;
    }
    const store = await openRawStore(path, { thread: false });
    const { damage } = await checkStore(store);
    await store.close();
    found.push(...damage.map(({ where, message }) => `backup: ${where}: ${message}`));
  }
  return found;
}

/** C3: what was written when its turn ended is all there. */
function isCutOff(journal: Journal, stream: unknown): boolean {
  if (stream === null) return true;
  const { message, token, chars } = stream as Facts;
  const isWhole = streamedText(journal, message) === textOf(String(token), Number(chars));
  return journal.byId(`message-end:${message}`)?.body.state === "cut-off" && isWhole;
}

/** A tool of a stopped turn: its result is beside the one the model has read. */
function isKeptLate(journal: Journal, about: Facts): boolean {
  const { late } = (journal.byId(`late:${about.call}`)?.body.metadata ?? {}) as Facts;
  const { status, output } = (late ?? {}) as Facts;
  return status === about.status && hashOf(String(output)) === about.output;
}

const seenIn = (metadata: unknown): unknown => (metadata as Facts | null)?.seen;

function holdsText(record: StoredRecord | undefined, token: unknown, chars: unknown): boolean {
  return record !== undefined && partsText(record) === textOf(String(token), Number(chars));
}

function partsText(record: StoredRecord): string {
  const parts = (record.body.parts ?? []) as unknown as { text?: string }[];
  return parts.map((part) => part.text ?? "").join("");
}

function streamedText(journal: Journal, message: unknown): string {
  return journal.records
    .filter(
      ({ kind, body }) => (kind === "message.grew" || kind === "message.ended") && body.message === message,
    )
    .map(partsText)
    .join("");
}
