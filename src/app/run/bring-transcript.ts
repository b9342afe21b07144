/**
 * The conversation of a session that worked on another machine, put to where its agent looks for it here, so that the agent's own resume goes
 * on with it (W8). It is the one act that makes a file in an agent's own folder: only for a session of another machine, only what the store kept of
 * it and is sound, byte for byte to its last whole line, and never over anything that is there (W3). What is on disk after each step:
 *  1. written in the store's home, and looked through     nothing of the agent's; the next resume takes it away
 *  2. how far the journal has heard it, where that is     what was heard stays heard; read anew, it is told by its ids (D4)
 *     more than came: what the agent adds is heard
 *     from there on
 *  3. published under the name the agent would give it    the next resume finds it there
 */
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { keptBytes, keptTranscripts } from "../../agents/escrow/kept-transcripts.ts";
import { wholeLines } from "../../agents/escrow/whole-lines.ts";
import { readSoFar } from "../../agents/journal/read-so-far.ts";
import { headOrNull, transcriptNamed } from "../../agents/transcript/find-transcript.ts";
import type { AgentAdapter, FoundTranscript, Landing } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import type { KeptTranscript } from "../../model/agent-kinds.ts";
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject } from "../../model/json.ts";
import { makePrivateDirectory, removeDurable } from "../../platform/durable-file.ts";
import { createDurableFrom } from "../../platform/durable-stream.ts";
import { randomId } from "../../platform/random.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { readWhole } from "../agents/check-transcript.ts";
import type { AppPlace } from "../place/app-place.ts";

export interface BringTranscriptOrder {
  readonly row: SessionRow;
  readonly adapter: AgentAdapter;
  /** The id its agent knows it by. */
  readonly nativeId: string;
  /** Where the agent is started. */
  readonly place: string;
  /** False: it is only said what would be done. */
  readonly isDone: boolean;
}

export type BringTranscriptEnd =
  /** `bytes`: null: those that are there; else what was put. */
  | {
      readonly kind: "here";
      readonly path: string;
      readonly isMoved: boolean;
      readonly bytes: number | null;
    }
  /** `why`: a sentence's end. */
  | { readonly kind: "not-here"; readonly why: string };

/** Null: nothing was kept of it, and what is here is all there is. */
export async function bringTranscript(
  at: AppPlace,
  store: Store,
  order: BringTranscriptOrder,
): Promise<BringTranscriptEnd | null> {
  const { row, adapter, nativeId, place } = order;
  const kept = await newestKept(store, row, order);
  const found = transcriptNamed(adapter, nativeId, at.env, place);
  if (kept === null) return found === null ? notHere("nothing of it was kept in the store") : null;
  const { heard } = row.facts;
  const cwd = isJsonObject(heard) && typeof heard.cwd === "string" ? heard.cwd : null;
  const brought = { nativeId, path: kept.path, cwd, folder: place };
  const landing = adapter.places.lands?.(agentHome(at.env), brought) ?? NOT_STARTED;
  if (landing.kind === "nowhere") return found === null ? notHere(`${adapter.title} ${landing.why}`) : null;
  try {
    return await landed(at, store, { ...order, kept, found, landing });
  } catch (thrown) {
    // A store without the pieces, a folder of somebody else's, a full disk: the brief is there.
    if (!(thrown instanceof RefloatError)) throw thrown;
    return notHere(thrown.message);
  }
}

type LandsAt = Extract<Landing, { kind: "at" }>;

const NOT_STARTED = { kind: "nowhere", why: "is only read" } as const;

const notHere = (why: string): BringTranscriptEnd => ({ kind: "not-here", why });

async function newestKept(
  store: Store,
  { id }: SessionRow,
  { adapter, nativeId }: Pick<BringTranscriptOrder, "adapter" | "nativeId">,
): Promise<KeptTranscript | null> {
  let newest: KeptTranscript | null = null;
  for await (const { kept } of keptTranscripts(store, id))
    if (kept.agent === adapter.name && kept.native_id === nativeId && kept.child !== true) newest = kept;
  return newest;
}

interface Landed extends BringTranscriptOrder {
  readonly kept: KeptTranscript;
  readonly found: FoundTranscript | null;
  readonly landing: LandsAt;
}

async function landed(at: AppPlace, store: Store, order: Landed): Promise<BringTranscriptEnd> {
  const { kept, found, landing, adapter, isDone } = order;
  const there = found?.path ?? (existsSync(landing.path) ? landing.path : null);
  if (there !== null && !(await beginsWith(there, piecesOf(store, order))))
    return notHere(`${there} is another, and is left as it is`);
  const isMoved =
    found === null || found.path === landing.path ? landing.isMoved : isOfOtherFolder(order, found);
  if (there !== null) return { kind: "here", path: there, isMoved, bytes: null };
  if (!isDone) return { kind: "here", path: landing.path, isMoved, bytes: kept.bytes };
  const folder = join(await at.home(), "brought");
  makePrivateDirectory(folder);
  removeLeft(folder, order.row.id);
  const copy = join(folder, `${order.row.id}-${randomId()}`);
  try {
    const bytes = await createDurableFrom(copy, piecesOf(store, order));
    const damage = damageOf(at, copy, order);
    if (damage !== null) return notHere(damage);
    if (adapter.transcript.storage === "lines") await heardSoFar(store, order, { copy, bytes });
    makePrivateDirectory(dirname(landing.path));
    await createDurableFrom(landing.path, createReadStream(copy));
    return { kind: "here", path: landing.path, isMoved, bytes };
  } finally {
    removeDurable(copy);
  }
}

/** Of a killed start. */
function removeLeft(folder: string, session: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(`${session}-`)) removeDurable(join(folder, name));
}

const piecesOf = (store: Store, { kept, adapter }: Landed): AsyncIterable<Buffer> => {
  const pieces = keptBytes(store, kept);
  // Kept while its agent wrote: the last line may not be whole.
  return adapter.transcript.storage === "lines" ? wholeLines(pieces) : pieces;
};

const isOfOtherFolder = ({ adapter, place }: Landed, found: FoundTranscript): boolean => {
  const cwd = headOrNull(adapter, found)?.cwd ?? null;
  return cwd !== null && cwd !== place;
};

/** What is there has all that was kept, and may have grown since. */
async function beginsWith(path: string, pieces: AsyncIterable<Buffer>): Promise<boolean> {
  const file = createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let have = Buffer.alloc(0);
  try {
    for await (const piece of pieces) {
      while (have.length < piece.length) {
        const next = await file.next();
        if (next.done) return false;
        have = Buffer.concat([have, next.value]);
      }
      if (!have.subarray(0, piece.length).equals(piece)) return false;
      have = have.subarray(piece.length);
    }
    return true;
  } finally {
    await file.return?.();
  }
}

/** Null: it is this conversation, and the agent reads all of it. */
function damageOf(at: AppPlace, path: string, { adapter, nativeId }: Landed): string | null {
  const { session, damage, isMendable } = readWhole(at, { path, agent: adapter }).checked;
  if (session?.nativeId !== nativeId) return "what was kept is not this conversation";
  const isDamaged = isMendable || (adapter.transcript.storage !== "lines" && damage.length > 0);
  return isDamaged ? "what was kept of it is damaged" : null;
}

/** Behind what came nothing was heard of this file: what the journal has of the lost rest stays, and what comes now is heard. */
async function heardSoFar(
  store: Store,
  { row, adapter, nativeId, landing }: Landed,
  { copy, bytes }: { readonly copy: string; readonly bytes: number },
): Promise<void> {
  const source = { agent: adapter.name, nativeId };
  const { next, status } = await readSoFar(store, { session: row.id, source });
  if (next.byte <= bytes) return;
  let line = 1;
  for await (const piece of createReadStream(copy) as AsyncIterable<Buffer>)
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) line += 1;
  const { heard } = row.facts;
  const cwd = isJsonObject(heard) && typeof heard.cwd === "string" ? heard.cwd : null;
  const body = {
    ...{ agent: adapter.name, native_id: nativeId, path: landing.path, cwd, version: null },
    ...{ next: { line, byte: bytes }, status: status ?? "lost", unknown_types: 0 },
  };
  await store.append(row.id, "anyone", [newRecord(store.clock, "agent.heard", body)]);
}
