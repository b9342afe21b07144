/**
 * A session that comes from another store, whole, in one change, or not at all (docs/decisions/0027). By ssh in three orders, each of which
 * can be given again, whatever became of the one before:
 *   hold     what is offered is on disk here and was tried; the session goes on where it was
 *   accept   with the seal, which its sender makes only when the session is over there: live here from then on
 *   refuse   called off: it never goes live here
 * By a file all of it is there at once, seal included. What is on disk after each step is in transfer-files.ts.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { speaksForUser, takeIn } from "../../handoff/bundle/import-bundle.ts";
import { RefloatError } from "../../model/errors.ts";
import { parseId, type RecordId, type SessionId } from "../../model/ids.ts";
import type { NewRecord } from "../../model/record.ts";
import { SENT_AWAY } from "../../model/transfer-kinds.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { moveFile, removeDurable, syncDirectory } from "../../platform/durable-file.ts";
import { createDurableFrom } from "../../platform/durable-stream.ts";
import { randomId } from "../../platform/random.ts";
import { newRecord } from "../../session/new-record.ts";
import { sentAway } from "../../store/contract/session-facts.ts";
import { exportLine, type TransferHead } from "../../store/export-format.ts";
import type { AtOnce, ImportResult } from "../../store/import.ts";
import type { Store } from "../../store/store.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { readLines } from "../upkeep/read-lines.ts";
import { decideRefused, decisionOf, type TransferFiles, tidy, transferFiles } from "./transfer-files.ts";

/** `unknown`: nothing of it is here. */
export type TransferState = "held" | "live" | "refused" | "unknown";

export interface TransferAnswer {
  readonly transfer: string;
  readonly session: SessionId;
  readonly state: TransferState;
  /** This store. */
  readonly store: string;
}

export interface TransferNamed {
  readonly transfer: string;
  readonly session: SessionId;
}

interface Receiving extends TransferNamed {
  readonly store: Store;
  readonly files: TransferFiles;
}

export const sentRecordId = (transfer: string): RecordId => `sent:${transfer}` as RecordId;
export const receivedRecordId = (transfer: string): RecordId => `received:${transfer}` as RecordId;

export interface TransferHeader {
  /** The store it comes from. */
  readonly from: string;
  readonly head: TransferHead;
}

/** Null: it is no transfer. Whatever else is wrong with the line is said by who reads all of them. */
export function transferIn(firstLine: string): TransferHeader | null {
  try {
    const parsed = exportLine.safeParse(JSON.parse(firstLine));
    if (!parsed.success || parsed.data.type !== "header" || !parsed.data.transfer) return null;
    return { from: parsed.data.store, head: parsed.data.transfer };
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

export async function headerOf(path: string): Promise<TransferHeader | null> {
  for await (const line of readLines(path)) return transferIn(line);
  return null;
}

/** Order `hold`. */
export async function holdTransfer(at: AppPlace, from: AsyncIterable<Uint8Array>): Promise<TransferAnswer> {
  const store = await receivingStore(at);
  const files = transferFiles(await at.home());
  tidy(files, at.clock.nowMs());
  const incoming = files.incoming(randomId());
  try {
    await createDurableFrom(incoming, from);
    const header = await headerOf(incoming);
    if (!header) throw new RefloatError("E_IMPORT", { line: 1, why: "it is no session that was sent" });
    const { head } = header;
    const named = { transfer: head.id, session: sessionOf(head) };
    const receiving = { ...named, store: store.raw, files };
    if (header.from === (await storeIdOf(store)))
      throw new RefloatError("E_SEND_SAME", { to: "The other machine", session: named.session });
    const before = await stateNow(receiving);
    if (before !== "unknown" && before !== "held") return answer(store, named, before);
    await tried(receiving, readLines(incoming));
    moveFile(incoming, files.held(head.id));
    syncDirectory(files.folder);
    crashPoint("receive.after-held");
    await dropOlder(files, header);
    return answer(store, named, "held");
  } finally {
    if (existsSync(incoming)) removeDurable(incoming);
  }
}

/** Order `accept`. `seal`: the rest of the lines; null: it was given before. */
export async function acceptTransfer(
  at: AppPlace,
  named: TransferNamed,
  seal: AsyncIterable<Uint8Array> | null,
): Promise<TransferAnswer> {
  const store = await receivingStore(at);
  const files = transferFiles(await at.home());
  const receiving = { ...named, store: store.raw, files };
  const before = await stateNow(receiving);
  if (before !== "held" || seal === null) return answer(store, named, before);
  const incoming = files.incoming(randomId());
  try {
    await createDurableFrom(incoming, seal);
    const lines = (): AsyncIterable<string> => joined(files.held(named.transfer), incoming);
    // One that was cut off on its way is no seal.
    await tried(receiving, wholeOf(lines(), named.transfer));
    await decided(() => createDurableFrom(files.decided(named.transfer), readBytes(incoming)));
  } finally {
    if (existsSync(incoming)) removeDurable(incoming);
  }
  crashPoint("receive.after-decided");
  return answer(store, named, await stateNow(receiving));
}

/** Order `refuse`. */
export async function refuseTransfer(at: AppPlace, named: TransferNamed): Promise<TransferAnswer> {
  const store = await receivingStore(at);
  const files = transferFiles(await at.home());
  const receiving = { ...named, store: store.raw, files };
  const before = await stateNow(receiving);
  if (before === "live" || before === "refused") return answer(store, named, before);
  await decided(async () => decideRefused(files, named.transfer));
  const state = await stateNow(receiving);
  if (state === "refused") removeDurable(files.held(named.transfer));
  return answer(store, named, state);
}

export type ReceivedFile =
  | { readonly kind: "taken"; readonly session: SessionId; readonly result: ImportResult }
  /** It is here, by this very transfer. */
  | { readonly kind: "repeat"; readonly session: SessionId; readonly result: ImportResult }
  /** It was taken back here: what is in the file goes on without it. */
  | { readonly kind: "over"; readonly session: SessionId; readonly result: ImportResult };

/** All of it at once, from a file or as it comes. `isOwn`: what it brings counts as said by the user himself. */
export async function receiveWhole(
  at: AppPlace,
  { head }: TransferHeader,
  lines: AsyncIterable<string>,
  { isOwn }: { readonly isOwn: boolean },
): Promise<ReceivedFile> {
  const store = await receivingStore(at);
  const session = sessionOf(head);
  const found = await storeIdOf(store);
  if (head.for !== null && head.for !== found)
    throw new RefloatError("E_SEND_OTHER", { wanted: head.for, found });
  const isRepeat = await hasReceived(store.raw, { transfer: head.id, session });
  const result = await takenIn({ store: store.raw, transfer: head.id, session }, lines, isOwn);
  if (isRepeat) return { kind: "repeat", session, result };
  const isHere = await hasReceived(store.raw, { transfer: head.id, session });
  return { kind: isHere ? "taken" : "over", session, result };
}

async function receivingStore(at: AppPlace): Promise<RefloatStore> {
  await assertNotJudged(at.env, (await at.findStore())?.raw ?? null, "take a session in");
  return at.openOrMakeStore();
}

const storeIdOf = async ({ raw }: RefloatStore): Promise<string> => (await raw.driver.info()).storeId;

async function answer(
  store: RefloatStore,
  { transfer, session }: TransferNamed,
  state: TransferState,
): Promise<TransferAnswer> {
  return { transfer, session, state, store: await storeIdOf(store) };
}

function sessionOf({ session }: TransferHead): SessionId {
  if (speaksForUser(session))
    throw new RefloatError("E_SEND_NOT_THIS", { session, why: "it is not one that an agent had" });
  return parseId<SessionId>("session", session);
}

/** What was decided is carried out by whoever looks. */
async function stateNow(receiving: Receiving): Promise<TransferState> {
  const { store, files, transfer } = receiving;
  const hasCome = await hasReceived(store, receiving);
  const decision = hasCome ? null : decisionOf(files, transfer);
  if (decision === "refused") return "refused";
  if (decision === "sealed")
    await takenIn(receiving, joined(files.held(transfer), files.decided(transfer)), true);
  if (hasCome || decision === "sealed") {
    for (const path of [files.held(transfer), files.decided(transfer)])
      if (existsSync(path)) removeDurable(path);
    return "live";
  }
  return existsSync(files.held(transfer)) ? "held" : "unknown";
}

const hasReceived = async (store: Store, { session, transfer }: TransferNamed): Promise<boolean> =>
  (await store.recordById(session, receivedRecordId(transfer))) !== null;

/** By link(2): whoever comes second finds what the first decided. */
async function decided(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (thrown) {
    if (!(thrown instanceof RefloatError && thrown.code === "E_EXISTS")) throw thrown;
  }
}

/** A session has one offer from one store: an older one was given up when this one was made. */
async function dropOlder(files: TransferFiles, { head, from }: TransferHeader): Promise<void> {
  for (const name of readdirSync(files.folder)) {
    const id = name.endsWith(".held") ? name.slice(0, -".held".length) : head.id;
    if (id === head.id || decisionOf(files, id) !== null) continue;
    const other = await headerOf(join(files.folder, name));
    if (other?.head.session === head.session && other.from === from) removeDurable(files.held(id));
  }
}

/** Contents are put, everything is compared, nothing is written to the journal. */
async function tried({ store, session }: Receiving, lines: AsyncIterable<string>): Promise<void> {
  const atOnce = { isTrial: true, last: () => [] };
  assertFits(session, await takeIn(store, lines, { only: session, isOwn: true, atOnce }));
}

async function takenIn(
  { store, session, transfer }: TransferNamed & Pick<Receiving, "store">,
  lines: AsyncIterable<string>,
  isOwn: boolean,
): Promise<ImportResult> {
  const here = sentAway(await store.session(session));
  let suspended: string | null = here?.suspended ?? null;
  async function* read(): AsyncGenerator<string> {
    for await (const line of lines) {
      suspended = suspendedIn(line, transfer) ?? suspended;
      yield line;
    }
  }
  const received = (): NewRecord =>
    newRecord(
      store.clock,
      "session.received",
      { transfer, fence: SENT_AWAY.id, suspended },
      receivedRecordId(transfer),
    );
  const atOnce: AtOnce = {
    isTrial: false,
    last: (brings) => (brings(sentRecordId(transfer)) || here?.transfer === transfer ? [received()] : []),
  };
  const result = await takeIn(store, read(), { only: session, isOwn, atOnce });
  assertFits(session, result);
  crashPoint("receive.after-commit");
  return result;
}

/** Why it was suspended before it was sent, from the record that says that it was. */
function suspendedIn(line: string, transfer: string): string | null {
  if (!line.includes(sentRecordId(transfer))) return null;
  const parsed = exportLine.safeParse(JSON.parse(line));
  if (!parsed.success || parsed.data.type !== "record" || parsed.data.kind !== "session.sent") return null;
  const why = parsed.data.body.suspended;
  return typeof why === "string" ? why : null;
}

/** What was collected or forgotten before it was sent is missing on both sides, and records say so. */
function assertFits(session: SessionId, { conflicts }: ImportResult): void {
  const [first] = conflicts;
  if (first)
    throw new RefloatError("E_SEND_DIVERGED", { session, why: `at its record ${first.seq}, ${first.why}` });
}

async function* joined(...paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths) yield* readLines(path);
}

/** Throws where the record that seals it, or the end, is missing. */
async function* wholeOf(lines: AsyncIterable<string>, transfer: string): AsyncGenerator<string> {
  let isSealed = false;
  let isEnded = false;
  let number = 0;
  for await (const line of lines) {
    number++;
    isSealed ||= line.includes(sentRecordId(transfer));
    isEnded = line.startsWith('{"type":"end"');
    yield line;
  }
  if (!isSealed || !isEnded) throw new RefloatError("E_IMPORT", { line: number, why: "it was cut off" });
}

async function* readBytes(path: string): AsyncGenerator<Uint8Array> {
  const { createReadStream } = await import("node:fs");
  yield* createReadStream(path);
}
